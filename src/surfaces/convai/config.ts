/**
 * A configuration from convai's words to what is stored of it (`convai-api.md` §3). Only what a request
 * says is changed, so what convai has no words for stays as an operator set it.
 */
import type { StoredRemote } from '../../handlers/remote.ts'
import type { ApprovalHash } from '../../objects/organization/approvals.ts'
import { canonicalJson } from '../../sealing/canonical.ts'
import type { Config, ConfigChange } from './config-form.ts'
import { given, type Extras, type Stored } from './extras.ts'
import { partValues, type ConnectionLocator, type SecretLocator } from './locators.ts'
import { putToolConfig } from './tool-config.ts'

export const DEFAULT_TIMEOUT_SECONDS = 30

/** What authorizes calls, as far as convai has words for it. */
export type Credentials = {
  secret_token: SecretLocator | null
  auth_connection: ConnectionLocator | null
}

/** What a new configuration is made of: a server file, what is kept beside it, what was approved before. */
export function newConfig(config: Config): {
  file: object
  extras: Extras
  approvalHashes: ApprovalHash[]
} {
  const { url, name, description, transport, tool_approval_hashes, tool_config_overrides } = config
  const blank: Stored = {
    settings: {
      approvalPolicy: 'require_approval_all',
      remote: {
        url: typeof url === 'string' ? url : { secret: url.secret_id },
        transport: transport === 'STREAMABLE_HTTP' ? 'auto' : 'sse',
        timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
      },
    },
    extras: {},
  }
  const { settings, extras } = (tool_config_overrides ?? []).reduce(
    (stored, { tool_name, ...tool }) => putToolConfig(stored, tool_name, tool),
    changeConfig(blank, config),
  )
  return {
    file: { name, kind: 'remote', ...(description && { description }), ...settings },
    extras,
    approvalHashes: (tool_approval_hashes ?? []).map((approval) => ({
      tool: approval.tool_name,
      hash: approval.tool_hash,
      policy: approval.approval_policy,
    })),
  }
}

/** Changes a configuration: what is absent stays, null clears what can be without a value. */
export function changeConfig(stored: Stored, change: ConfigChange): Stored {
  const steps = [changePolicy, changeTransfer, changeSpeech, changeValues, changeCredentials]
  return steps.reduce((before, step) => step(before, change), stored)
}

/** What authorizes the calls of a stored configuration. */
export function credentialsOf({ settings: { remote }, extras }: Stored): Credentials {
  const { auth } = remote
  if (auth?.type === 'connection') {
    const { connection } = auth
    return {
      secret_token: extras.secret_token ?? null,
      auth_connection:
        typeof connection === 'string'
          ? { auth_connection_id: connection }
          : { env_var_label: connection.variable },
    }
  }
  const isToken = auth?.type === 'header' && auth.name.toLowerCase() === 'authorization'
  const value = isToken ? auth.value : auth?.type === 'bearer' ? auth.token : undefined
  return {
    secret_token: value && 'secret' in value ? { secret_id: value.secret } : null,
    auth_connection: null,
  }
}

function changePolicy({ settings, extras }: Stored, { approval_policy }: ConfigChange): Stored {
  const approvalPolicy = approval_policy ?? settings.approvalPolicy
  return { settings: { ...settings, approvalPolicy }, extras }
}

function changeTransfer(
  { settings, extras }: Stored,
  { response_timeout_secs: timeoutSeconds, disable_compression }: ConfigChange,
): Stored {
  const compression = typeof disable_compression === 'boolean' ? !disable_compression : null
  const remote = { ...settings.remote, ...given({ timeoutSeconds, compression }) }
  return { settings: { ...settings, remote }, extras }
}

function changeSpeech({ settings, extras }: Stored, change: ConfigChange): Stored {
  const { tool_call_sound: sound = extras.speech?.tool_call_sound } = change
  const said = given({
    force_pre_tool_speech: change.force_pre_tool_speech,
    pre_tool_speech: change.pre_tool_speech,
    disable_interruptions: change.disable_interruptions,
    interruption_mode: change.interruption_mode,
    tool_call_sound_behavior: change.tool_call_sound_behavior,
    execution_mode: change.execution_mode,
  })
  const speech = given({ ...extras.speech, ...said, tool_call_sound: sound })
  return { settings, extras: { ...extras, speech } }
}

function changeValues(
  { settings, extras }: Stored,
  { request_headers, request_meta }: ConfigChange,
): Stored {
  const headers = request_headers && partValues(request_headers)
  const meta = request_meta && partValues(request_meta)
  const remote = {
    ...settings.remote,
    ...(headers && { headers: headers.sent }),
    ...(meta && { meta: meta.sent }),
  }
  const waiting = {
    ...(headers && { request_headers: headers.dynamic }),
    ...(meta && { request_meta: meta.dynamic }),
  }
  return { settings: { ...settings, remote }, extras: { ...extras, ...waiting } }
}

/** A connection goes before a token, which is kept for when there is none. */
function changeCredentials(stored: Stored, change: ConfigChange): Stored {
  const before = credentialsOf(stored)
  const { secret_token: token = before.secret_token } = change
  const { auth_connection: connection = before.auth_connection } = change
  const after: Credentials = { secret_token: token, auth_connection: connection }
  if (canonicalJson(after) === canonicalJson(before)) return stored
  const { settings } = stored
  const { secret_token: _, ...extras } = stored.extras
  return {
    settings: { ...settings, remote: { ...settings.remote, auth: authOf(after) } },
    extras: connection !== null && token !== null ? { ...extras, secret_token: token } : extras,
  }
}

function authOf({ secret_token, auth_connection }: Credentials): NonNullable<StoredRemote['auth']> {
  if (auth_connection !== null) {
    const isId = 'auth_connection_id' in auth_connection
    const connection = isId
      ? auth_connection.auth_connection_id
      : { variable: auth_connection.env_var_label }
    return { type: 'connection', connection }
  }
  if (secret_token === null) return { type: 'none' }
  return { type: 'header', name: 'Authorization', value: { secret: secret_token.secret_id } }
}
