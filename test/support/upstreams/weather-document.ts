/** The JSON that wttr.in answers to `?format=j1`, for a made-up day in any city. */

const value = (text: string) => [{ value: text }]

/** The document of a city; numbers are strings in it, as there. */
export function weatherDocument(city: string) {
  return {
    current_condition: [
      {
        FeelsLikeC: '17',
        FeelsLikeF: '63',
        cloudcover: '25',
        humidity: '64',
        localObsDateTime: '2026-09-01 10:00 AM',
        observation_time: '08:00 AM',
        precipInches: '0.0',
        precipMM: '0.1',
        pressure: '1017',
        pressureInches: '30',
        temp_C: '18',
        temp_F: '64',
        uvIndex: '4',
        visibility: '10',
        visibilityMiles: '6',
        weatherCode: '116',
        weatherDesc: value('Partly cloudy'),
        weatherIconUrl: value(''),
        winddir16Point: 'WSW',
        winddirDegree: '250',
        windspeedKmph: '13',
        windspeedMiles: '8',
      },
    ],
    nearest_area: [
      {
        areaName: value(city),
        country: value('Germany'),
        latitude: '50.733',
        longitude: '7.100',
        population: '0',
        region: value('Nordrhein-Westfalen'),
        weatherUrl: value(''),
      },
    ],
    request: [{ query: city, type: 'City' }],
    weather: ['2026-09-01', '2026-09-02', '2026-09-03'].map((date, day) => ({
      astronomy: [{ sunrise: '06:44 AM', sunset: '08:17 PM', moon_phase: 'Waning Gibbous' }],
      avgtempC: String(17 + day),
      avgtempF: String(63 + day),
      date,
      hourly: [0, 300, 600, 900, 1200, 1500, 1800, 2100].map((time, index) => ({
        time: String(time),
        tempC: String(12 + index),
        chanceofrain: String(index * 10),
        humidity: '64',
        precipMM: '0.0',
        weatherCode: '116',
        weatherDesc: value('Partly cloudy'),
        windspeedKmph: '13',
      })),
      maxtempC: String(21 + day),
      mintempC: String(12 + day),
      sunHour: '11.5',
      totalSnow_cm: '0.0',
      uvIndex: '4',
    })),
  }
}
