/** What the page of an approval link shows: the held call, whole and with nothing hidden, and two buttons. */
import type { HeldRecord } from '../../objects/organization/held-records.ts'
import { formatForm, type FormSecrets } from './form.ts'
import { html, type Html } from './html.ts'

/** The held call. */
export function formatHeld(held: HeldRecord & { arguments: string }): Html {
  const { principal, server, tool, account, environment, createdAt } = held
  const { kind, name, id } = principal
  const args: unknown = JSON.parse(held.arguments)
  const facts: [term: string, text: string | null][] = [
    ['Tool', tool],
    ['Server', server.name ?? server.id],
    ['Asked for by', `${kind ?? 'somebody'} ${name ?? ''} (${id})`],
    ['With the account', account],
    ['In the environment', environment],
    ['At', createdAt],
  ]
  return html`<dl>
      ${facts.flatMap(([term, text]) => {
        if (text === null) return []
        return [
          html`<dt>${term}</dt>
            <dd>${text}</dd>`,
        ]
      })}
    </dl>
    <h2>Arguments</h2>
    <pre>${JSON.stringify(args, null, 2)}</pre>`
}

/** The two buttons. */
export function formatVerdicts(secrets: FormSecrets): Html {
  return formatForm(
    'approve',
    secrets,
    html`<p>It runs once, with these arguments, if you approve.</p>
      <button name="act" value="approve">Approve</button>
      <button class="second" name="act" value="deny">Deny</button>`,
  )
}

/** The buttons by which somebody proves to be an admin. */
export function formatSignIn(
  secrets: FormSecrets,
  issuers: readonly string[],
  isAnother: boolean,
): Html {
  const text = isAnother
    ? html`<p><b>You may not decide this.</b> Only an admin of the organization can.</p>`
    : html`<p>Sign in as an admin of the organization to see the call and to decide.</p>`
  const buttons = issuers.map((issuer) => {
    const { host } = new URL(issuer)
    return html`<button name="act" value="sign-in ${issuer}">Sign in at ${host}</button>`
  })
  return html`${text}${issuers.length === 0 ? undefined : formatForm('approve', secrets, html`${buttons}`)}`
}

/** What was decided. */
export function formatDecided({ state, tool, server }: HeldRecord): Html {
  const where = `${tool} on ${server.name ?? server.id}`
  const text =
    state === 'approved'
      ? html`<p>The call of <b>${where}</b> runs once its caller waits for it.</p>`
      : html`<p>The call of <b>${where}</b> does not run.</p>`
  return html`${text}
    <p><small>You can close this page.</small></p>`
}
