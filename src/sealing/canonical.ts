/** JSON in the one form that equal values have: members in the order of their names, no blanks. */

/** The canonical text of a JSON value (`surfaces.md` D18). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    const entries = Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(entries)
  })
}
