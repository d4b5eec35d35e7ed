/**
 * A page for people: plain HTML without a script, that works on a phone and may be framed, stored or
 * sniffed by nobody. What is wrong is told as a page, too.
 */
import type { HttpError } from '../../protocol/http-error.ts'
import { refusalOf } from '../rest-answer.ts'
import { html, type Html } from './html.ts'

const STYLE = `
:root{color-scheme:light dark;--line:#8886;--ink:#1d4ed8}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:0 auto;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25;margin:.5rem 0 1rem}h2{font-size:1.1rem}
dl{border:1px solid var(--line);border-radius:.5rem;margin:1rem 0;padding:.75rem 1rem}
dt{font-size:.85rem;opacity:.75}dd{margin:0 0 .6rem;font-weight:600}dd:last-child{margin:0}
b{unicode-bidi:isolate}
pre{border:1px solid var(--line);border-radius:.5rem;padding:.75rem;white-space:pre-wrap}
label{display:block;margin:.9rem 0 .2rem}
input{font:inherit;width:100%;padding:.6rem;border:1px solid var(--line);border-radius:.4rem}
button{font:inherit;font-weight:600;min-height:2.75rem;width:100%;margin-top:1rem;border:1px solid var(--ink);border-radius:.5rem;background:var(--ink);color:#fff}
button.second{background:none;color:inherit;border-color:var(--line)}
small{opacity:.75}`

export type Page = {
  title: string
  body: Html
  status?: number
  /** Where it goes on by itself at once: an address of ours, or one that was checked to be http(s). */
  goesTo?: string
  /** The values of `Set-Cookie`. */
  cookies?: readonly string[]
  headers?: Readonly<Record<string, string>>
}

/** The answer that a page is. */
export function formatPage({ title, body, status = 200, goesTo, ...rest }: Page): Response {
  const nonce = crypto.randomUUID()
  const refresh =
    goesTo === undefined ? undefined : html`<meta http-equiv="refresh" content="0;url=${goesTo}" />`
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${refresh}
        <title>${title}</title>
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`
  const headers = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'Cache-Control': 'no-store',
    // Nothing goes to other sites. With no-referrer browsers send `Origin: null` with our own forms.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...rest.headers,
  })
  for (const cookie of rest.cookies ?? []) headers.append('Set-Cookie', cookie)
  return new Response(text.toString(), { status, headers })
}

/**
 * A page that goes on elsewhere. Not a redirect: browsers hold those that follow a form to the page's
 * `form-action`, which knows this site alone.
 */
export function formatGoingOn(to: URL, where: string, cookies: readonly string[] = []): Response {
  const body = html`<p>You are being sent to <b>${where}</b>.</p>
    <p><a href="${to.href}" rel="noreferrer">Continue</a></p>`
  return formatPage({ title: 'One moment', body, goesTo: to.href, cookies })
}

/** The page that a refusal is. */
function formatProblem({ status, message, headers }: HttpError): Response {
  const body = html`<p>${message}.</p>
    <p><small>You can close this page.</small></p>`
  return formatPage({ title: 'This did not work', body, status, headers })
}

/** Runs what answers with a page; whatever is refused is a page. */
export async function answerPage(make: () => Promise<Response>): Promise<Response> {
  try {
    return await make()
  } catch (error) {
    return formatProblem(refusalOf(error))
  }
}
