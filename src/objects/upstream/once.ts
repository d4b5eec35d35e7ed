/** Work of an object that is done once, however many wait for it. */

/** The result of the work under way for a key, or of `work`, started now. */
export function once<T>(
  flights: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const flight = flights.get(key)
  if (flight !== undefined) return flight
  const started = work().finally(() => {
    if (flights.get(key) === started) flights.delete(key)
  })
  flights.set(key, started)
  return started
}
