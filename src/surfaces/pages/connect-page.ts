/** What the page of a connect link shows: who will hold what, and what is asked for. */
import type { FormConnect } from '../../catalog/connect.ts'
import type { DescribedConnect } from '../../objects/organization/connect-commands.ts'
import { formatForm, type FormSecrets } from './form.ts'
import { html, type Html } from './html.ts'

/** Prefix of the names of a credential's fields in the form. */
export const FIELD_PREFIX = 'field.'

/** Who the account will be of; which of the two it is, whatever a member is called. */
export function holderOf({ holder, organizationName }: DescribedConnect): Html {
  return holder === null
    ? html`the organization <b>${organizationName}</b>`
    : html`the member <b>${holder.name}</b>`
}

/** The facts that somebody has to read before they click. */
export function formatFacts(described: DescribedConnect): Html {
  const { organizationName, serverName, alias, holder } = described
  const consequence = holder
    ? html`Go on only if you are <b>${holder.name}</b>, or want that member to use your account.`
    : html`Go on only if you want those to use your account to whom the organization gives it.`
  return html`<dl>
      <dt>Service</dt>
      <dd>${serverName}</dd>
      <dt>Organization</dt>
      <dd>${organizationName}</dd>
      <dt>The account will be held by</dt>
      <dd>${holderOf(described)}</dd>
      <dt>Name of the account</dt>
      <dd>${alias}</dd>
      <dt>What is asked for</dt>
      <dd>${askedOf(described)}</dd>
    </dl>
    <p>
      Tools of <b>${organizationName}</b> will then act on <b>${serverName}</b> with your account.
      ${consequence}
    </p>`
}

function askedOf({ asks, serverName }: DescribedConnect): string {
  if (asks.type === 'form') return asks.fields.map(({ label }) => label).join(', ')
  const { scopes = [] } = asks
  return scopes.length === 0 ? `What ${serverName} asks you for on its own page` : scopes.join(', ')
}

/** The button by which somebody proves who they are first. */
export function formatSignIn(secrets: FormSecrets, name: string, isOther: boolean): Html {
  const text = isOther
    ? html`<p><b>You are signed in as somebody else.</b> Only <b>${name}</b> can use this link.</p>`
    : html`<p>Sign in as <b>${name}</b> first.</p>`
  return html`${text}${formatForm('connect', secrets, html`<button name="act" value="sign-in">Sign in</button>`)}`
}

/** The button that goes on to the service, or the fields that are asked for. */
export function formatConnect(secrets: FormSecrets, { asks, serverName }: DescribedConnect): Html {
  const fields = asks.type === 'form' ? asks.fields.map(formatField) : undefined
  const text = asks.type === 'form' ? 'Connect' : `Continue to ${serverName}`
  const button = html`<button name="act" value="connect">${text}</button>`
  return formatForm('connect', secrets, html`${fields}${button}`)
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
