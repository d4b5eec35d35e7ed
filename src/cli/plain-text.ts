/** Text of others on a terminal: what would steer it is shown, not obeyed. */

// All controls but tab and line feed, and the marks that turn the direction of text.
const CONTROLS = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** Writes control characters as escapes; lines and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, escape)
}

/** Writes a name so that it stays within its line. */
export function oneLine(text: string): string {
  return escapeControls(text).replaceAll(/[\t\n]/g, escape)
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
