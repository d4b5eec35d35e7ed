/** The form of a page: what it is of and the token of its browser stand in it, unseen. */
import { html, type Html } from './html.ts'

/** The sealed link that a page was opened by, and what its form must send back. */
export type FormSecrets = { link: string; token: string }

/** A form that is sent to the page of its kind. */
export function formatForm(
  kind: 'connect' | 'approve',
  { link, token }: FormSecrets,
  content: Html,
): Html {
  return html`<form method="post" action="/${kind}">
    <input type="hidden" name="link" value="${link}" />
    <input type="hidden" name="token" value="${token}" />
    ${content}
  </form>`
}
