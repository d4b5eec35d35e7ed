/** Tools for the bench: some 700 bytes each as a client sees them, no two alike, always the same. */

export type BenchTool = {
  name: string
  description: string
  inputSchema: object
  /** A fixed text where absent. */
  handler?: object
}

/** The tool that is called, whatever serves it. */
export const FORECAST: BenchTool = {
  name: 'forecast',
  description: 'The weather of a city for the next hours',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1, description: 'The name of the city' } },
    required: ['city'],
  },
}

/** One more, whose API never answers. */
export const HANGING: BenchTool = { ...FORECAST, name: 'hanging' }

const VERBS = ['get', 'find', 'list', 'compare', 'forecast', 'summarize', 'watch', 'archive']
const THINGS = ['weather', 'rainfall', 'storms', 'tides', 'pollen', 'snow', 'wind', 'daylight']

/** The first `count` tools. */
export function benchTools(count: number): BenchTool[] {
  return Array.from({ length: count }, (_, index) => benchTool(index))
}

function benchTool(index: number): BenchTool {
  const verb = VERBS[index % VERBS.length]
  const thing = THINGS[Math.floor(index / VERBS.length) % THINGS.length]
  return {
    name: `${verb}_${thing}_${index}`,
    description:
      `Use this to ${verb} ${thing} for a city (source ${index}), now and in the days ahead; ` +
      'measurements come from the nearest station that has reported within the hour, and a city ' +
      'that has none is refused.',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', description: `The city name to ${verb} ${thing} for` },
        units: {
          type: 'string',
          enum: ['metric', 'imperial'],
          default: 'metric',
          description: 'Units of what is answered',
        },
        days: { type: 'integer', minimum: 1, maximum: 14, description: 'How many days ahead' },
        stations: {
          type: 'array',
          items: { type: 'string' },
          description: 'Ids of the stations to ask, nearest first',
        },
      },
      required: ['city'],
    },
  }
}
