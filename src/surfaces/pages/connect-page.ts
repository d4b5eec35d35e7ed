/** What the page of a connect link shows: who will hold what, and what is asked for. */
import type { FormConnect } from '../../catalog/connect.ts'
import type { DescribedConnect } from '../../objects/organization/connect-commands.ts'
import { html, type Html } from './html.ts'

/** What stands in every form: the link it belongs to, and the token of its browser. */
export type FormSecrets = { link: string; token: string }

/** Prefix of the names of a credential's fields in the form. */
export const FIELD_PREFIX = 'field.'

/** Who the account will be of. */
export function holderOf({ holder, organizationName }: DescribedConnect): string {
  return holder?.name ?? `the organization ${organizationName}`
}

/** The facts that somebody has to read before they click. */
export function formatFacts(described: DescribedConnect): Html {
  const { organizationName, serverName, alias, asks } = described
  const scopes = asks.type === 'oauth' ? (asks.scopes ?? []) : []
  return html`<dl>
      <dt>Service</dt>
      <dd>${serverName}</dd>
      <dt>Organization</dt>
      <dd>${organizationName}</dd>
      <dt>The account will be held by</dt>
      <dd>${holderOf(described)}</dd>
      <dt>Name of the account</dt>
      <dd>${alias}</dd>
      ${
        scopes.length === 0
          ? undefined
          : html`<dt>What is asked for</dt>
              <dd>${scopes.join(', ')}</dd>`
      }
    </dl>
    <p>
      Tools of ${organizationName} will then act on ${serverName} with your account, on behalf of
      ${holderOf(described)}. Go on only if that is you, or somebody you want this for.
    </p>`
}

/** The button by which somebody proves who they are first. */
export function formatSignIn(secrets: FormSecrets, name: string, isOther: boolean): Html {
  const text = isOther
    ? html`<p><b>You are signed in as somebody else.</b> Only ${name} can use this link.</p>`
    : html`<p>Sign in as ${name} first.</p>`
  return html`${text}${formatForm(secrets, html`<button name="act" value="sign-in">Sign in</button>`)}`
}

/** The button that goes on to the service, or the fields that are asked for. */
export function formatConnect(secrets: FormSecrets, { asks, serverName }: DescribedConnect): Html {
  const fields = asks.type === 'form' ? asks.fields.map(formatField) : undefined
  const text = asks.type === 'form' ? 'Connect' : `Continue to ${serverName}`
  const button = html`<button name="act" value="connect">${text}</button>`
  return formatForm(secrets, html`${fields}${button}`)
}

function formatField({ name, label, secret }: FormConnect['fields'][number]): Html {
  const id = FIELD_PREFIX + name
  const type = secret ? 'password' : 'text'
  return html`<label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${id}"
      type="${type}"
      required
      maxlength="16384"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
    />`
}

function formatForm({ link, token }: FormSecrets, content: Html): Html {
  return html`<form method="post" action="/connect">
    <input type="hidden" name="link" value="${link}" />
    <input type="hidden" name="token" value="${token}" />
    ${content}
  </form>`
}
