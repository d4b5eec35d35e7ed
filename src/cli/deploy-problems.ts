/**
 * What stands in the way of a deployment, each with the command or the line that mends it: read from
 * wrangler.toml, from the namespaces of the account and from the secrets of the Worker.
 */

/** What is missing, and line by line what mends it: commands, and what to write where. */
export type Problem = { what: string; mend: readonly string[] }

/** What of a region's configuration is looked at, as wrangler reads it. */
export type RegionConfig = {
  name?: string | undefined
  workers_dev?: boolean | undefined
  route?: unknown
  routes?: readonly unknown[] | undefined
  vars: Readonly<Record<string, unknown>>
  kv_namespaces: readonly { binding: string; id?: string | undefined }[]
  secrets?: { required?: readonly string[] } | undefined
}

/** How one talks to wrangler about a region: its options, and how it is called by hand. */
export type Region = { region: string; options: readonly string[] }

const BINDING = 'CATALOG'

/** What wrangler.toml does not say yet. */
export function problemsOfConfig({ region }: Region, config: RegionConfig): Problem[] {
  const problems: Problem[] = []
  const isNamed = config.route !== undefined || (config.routes?.length ?? 0) > 0
  if (!isNamed && (config.vars['PUBLIC_URL'] ?? '') === '' && config.workers_dev === false) {
    problems.push({
      what: 'It has no hostname',
      mend: [
        `into [env.${region}]: routes = [{ pattern = "HOSTNAME", custom_domain = true }]`,
        'or, where its domain is set in the dashboard, into its vars: PUBLIC_URL = "https://HOSTNAME"',
      ],
    })
  }
  if (namespaceId(config) === '') {
    problems.push({ what: 'It has no KV namespace', mend: newNamespace(region, config) })
  }
  return problems
}

/** Whether the namespace is there and in the right jurisdiction, by `wrangler kv namespace list`. */
export function problemsOfNamespace(
  region: Region,
  config: RegionConfig,
  listed: readonly { id: string; jurisdiction?: string }[],
): Problem[] {
  const id = namespaceId(config)
  if (id === '') return [] // told already
  const mend = newNamespace(region.region, config)
  const found = listed.find((namespace) => namespace.id === id)
  if (found === undefined) return [{ what: `This account has no KV namespace ${id}`, mend }]
  const [is, must] = [found.jurisdiction ?? '', jurisdictionOf(config)]
  if (is === must) return []
  const say = (jurisdiction: string) => jurisdiction || 'none'
  return [{ what: `The jurisdiction of KV namespace ${id} is ${say(is)}, not ${say(must)}`, mend }]
}

/** Which secrets the Worker does not have yet, by `wrangler secret list`. */
export function problemsOfSecrets(
  { options }: Region,
  config: RegionConfig,
  listed: readonly { name: string }[],
): Problem[] {
  return (config.secrets?.required ?? [])
    .filter((secret) => !listed.some(({ name }) => name === secret))
    .map((secret) => ({
      what: `Secret ${secret} is not set`,
      mend: [formatCommand(['secret', 'put', secret, ...options])],
    }))
}

/** A call of wrangler as a person types it. */
export function formatCommand(args: readonly string[]): string {
  const quote = (arg: string) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`)
  return ['npx', 'wrangler', ...args].map(quote).join(' ')
}

function newNamespace(region: string, config: RegionConfig): string[] {
  const jurisdiction = jurisdictionOf(config)
  const create = ['kv', 'namespace', 'create', `rollcall-${region}-catalog`]
  if (jurisdiction !== '') create.push('--jurisdiction', jurisdiction)
  return [
    formatCommand(create),
    `and into [env.${region}]: kv_namespaces = [{ binding = "${BINDING}", id = "ID" }]`,
  ]
}

function namespaceId({ kv_namespaces }: RegionConfig): string {
  return kv_namespaces.find(({ binding }) => binding === BINDING)?.id ?? ''
}

function jurisdictionOf({ vars }: RegionConfig): string {
  const jurisdiction = vars['JURISDICTION']
  return typeof jurisdiction === 'string' ? jurisdiction : ''
}
