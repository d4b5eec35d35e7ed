/** The shape of a session id of ours; another one is no session at all (`surfaces.md` D1). */

const FORM = /^[0-9a-f]{64}$/

export function isSessionId(value: string | null): value is string {
  return value !== null && FORM.test(value)
}
