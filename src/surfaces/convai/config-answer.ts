/** A configuration as convai answers it, every field of it (`convai-api.md` §3): made of what is stored. */
import { approvalPolicyOf } from '../../catalog/server.ts'
import { DEFAULT_REMOTE_TIMEOUT_SECONDS } from '../../handlers/remote.ts'
import type { ConfigurationRecord } from '../../objects/organization/configuration-commands.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { credentialsOf } from './config.ts'
import { parseExtras, type Stored } from './extras.ts'
import { joinValues } from './locators.ts'
import { timeoutOf } from './timeout.ts'
import { toolConfigs } from './tool-config.ts'

/** The settings and extras of a configuration. */
export function storedOf({
  server,
  extras,
}: Pick<ConfigurationRecord, 'server' | 'extras'>): Stored {
  const { approvalPolicy, remote, overrides } = server.settings
  if (remote === undefined) throw new HttpError(500, 'internal_error', 'The server is not remote')
  return { settings: { approvalPolicy, remote, overrides }, extras: parseExtras(extras) }
}

/** The answer that tells all of a configuration. */
export function formatConfiguration(record: ConfigurationRecord) {
  const { id, server, approvals, createdBy, createdAt } = record
  const stored = storedOf(record)
  const {
    url,
    transport,
    timeoutSeconds,
    compression = true,
    headers,
    meta,
  } = stored.settings.remote
  const { speech = {}, request_headers, request_meta } = stored.extras
  return {
    id,
    config: {
      url: typeof url === 'string' ? url : { secret_id: url.secret },
      name: server.settings.name,
      description: server.settings.description ?? '',
      transport: transport === 'sse' ? 'SSE' : 'STREAMABLE_HTTP',
      approval_policy: approvalPolicyOf(server.settings),
      tool_approval_hashes: approvals.map(({ tool, hash, policy }) => ({
        tool_name: tool,
        tool_hash: hash,
        approval_policy: policy,
      })),
      ...credentialsOf(stored),
      request_headers: joinValues(headers, request_headers),
      request_meta: joinValues(meta, request_meta),
      response_timeout_secs: timeoutOf(timeoutSeconds ?? DEFAULT_REMOTE_TIMEOUT_SECONDS),
      disable_compression: !compression,
      tool_config_overrides: toolConfigs(stored),
      force_pre_tool_speech: speech.force_pre_tool_speech ?? false,
      pre_tool_speech: speech.pre_tool_speech ?? 'auto',
      disable_interruptions: speech.disable_interruptions ?? false,
      interruption_mode: speech.interruption_mode ?? 'allow',
      tool_call_sound: speech.tool_call_sound ?? null,
      tool_call_sound_behavior: speech.tool_call_sound_behavior ?? 'auto',
      execution_mode: speech.execution_mode ?? 'immediate',
    },
    access_info: null,
    dependent_agents: [],
    metadata: { created_at: Math.floor(createdAt / 1000), owner_user_id: createdBy },
  }
}
