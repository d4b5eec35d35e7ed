/** What a call that was checked is to do, by its handler. */
import { usesAccount } from '../handlers/secret.ts'
import { formatParamHeaders } from '../protocol/param-headers.ts'
import type { Tool } from '../protocol/tool.ts'
import { findViolations } from '../upstream/arguments.ts'
import type { HttpCall } from '../upstream/http/call.ts'
import { fillResult } from '../upstream/static.ts'
import type { Sealed } from '../upstream/world.ts'
import { failure, UNCHECKED, type Args, type CallExchange, type FoundCall } from './found-call.ts'
import { relayed, targetOf } from './prepare-relay.ts'
import type { Prepared, Subject } from './prepared.ts'
import { sentInputs } from './sent-inputs.ts'

/** The work of a call. No promise where nothing has to be asked for. */
export function prepareWork(call: FoundCall, args: Args): Prepared | Promise<Prepared> {
  const { exchange, catalog, subject, callable, key } = call
  const { inputSchema, outputSchema } = callable.tool
  const { handler } = callable.binding
  if (handler.kind === 'http')
    return prepareHttp(exchange, subject, callable.secrets, {
      organization: catalog.organization,
      server: catalog.id,
      revision: catalog.revision,
      tool: subject.tool,
      handler,
      args: knownArguments(inputSchema, args),
      outputSchema,
      hops: exchange.hops,
    })
  if (handler.kind === 'mcp') return prepareRelay(call, handler.name, args)
  const names = new Set(Object.keys(inputSchema.properties ?? {}))
  const result = fillResult(handler.result, names, args)
  if (outputSchema !== undefined && result.isError !== true) {
    const problems = findViolations(`${key} output`, outputSchema, result.structuredContent)
    if (problems.length > 0) {
      const text = `The result of ${subject.tool} is not what it promises:\n${problems.join('\n')}`
      return failure(subject, text)
    }
  }
  return { subject, work: { kind: 'static', steps: handler.steps ?? [], result } }
}

/** A call of a tool of a remote server, which knows it as `name`. */
async function prepareRelay(
  { exchange, catalog, subject, callable }: FoundCall,
  name: string,
  args: Args,
): Promise<Prepared> {
  const { inputs, timeoutSeconds } = callable.binding
  const current = { ...exchange, catalog }
  const target = await targetOf(current)
  if (target === undefined) return failure(subject, UNCHECKED)
  if ('problem' in target) return failure(subject, target.problem)
  const sent = inputs === undefined ? args : sentInputs(args, inputs)
  return relayed(current, target, {
    method: 'tools/call',
    name: subject.tool,
    params: { name, arguments: sent },
    paramHeaders: formatParamHeaders(callable.paramHeaders, sent),
    timeoutSeconds,
  })
}

/** A call of an HTTP tool with the secrets and the account it needs, still sealed. */
function prepareHttp(
  { sealed, account }: CallExchange,
  subject: Subject,
  names: readonly string[],
  call: Omit<HttpCall, 'sealed' | 'account'>,
): Prepared | Promise<Prepared> {
  const withAccount = account !== undefined && usesAccount(call.handler) ? { account } : {}
  const withSecrets = (secrets: Sealed | undefined): Prepared => {
    if (secrets === undefined) {
      const text = 'The secrets of the tool could not be had just now. Retry in a few seconds.'
      return failure(subject, text)
    }
    return { subject, work: { kind: 'http', call: { ...call, sealed: secrets, ...withAccount } } }
  }
  const secrets = names.length === 0 ? {} : sealed(names)
  return secrets instanceof Promise ? secrets.then(withSecrets) : withSecrets(secrets)
}

/** What an API is sent: declared properties, and others where the schema says that it takes them. */
function knownArguments(
  { properties = {}, additionalProperties, patternProperties }: Tool['inputSchema'],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (additionalProperties !== undefined || patternProperties !== undefined) return args
  const isKnown = (name: string) => Object.hasOwn(properties, name)
  if (Object.keys(args).every(isKnown)) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => isKnown(name)))
}
