/** Server files from disk: found, parsed, and checked for what comparing them relies on. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { formatDetail, type Detail } from './admin-client.ts'
import { KINDS, NAME_OF } from './compare.ts'

const SERVER_ID = /^[0-9a-f]{16}$/

export type ServerFile = {
  /** As it is told to people. */
  path: string
  text: string
  value: Readonly<Record<string, unknown>>
}

export type ReadFiles = {
  files: readonly ServerFile[]
  /** What is wrong, a text for each file that cannot be used. */
  problems: readonly string[]
}

/** Reads files, and of folders all their `*.json`, from where `base` is. */
export async function readFiles(names: readonly string[], base: string): Promise<ReadFiles> {
  const files: ServerFile[] = []
  const problems: string[] = []
  for (const name of names) {
    try {
      for (const path of await expand(name, base)) {
        const read = readValue(await readFile(resolve(base, path), 'utf8'))
        if ('problem' in read) problems.push(`${path}: ${read.problem}`)
        else files.push({ path, ...read })
      }
    } catch (error) {
      problems.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { files, problems }
}

async function expand(name: string, base: string): Promise<string[]> {
  if (!(await stat(resolve(base, name))).isDirectory()) return [name]
  const entries = await readdir(resolve(base, name))
  const found = entries.filter((entry) => entry.endsWith('.json')).toSorted()
  return found.map((entry) => join(name, entry))
}

function readValue(text: string): Omit<ServerFile, 'path'> | { problem: string } {
  const value = parse(text)
  if (value instanceof SyntaxError) return { problem: `is not JSON: ${value.message}` }
  if (!isObject(value)) return { problem: 'must be a JSON object' }
  const details = problemsOf(value)
  if (details.length === 0) return { text, value }
  return { problem: ['has wrong fields', ...details.map(formatDetail)].join('\n') }
}

/** What the deployment would refuse and comparing cannot do without; the rest is for it to say. */
function problemsOf(value: Readonly<Record<string, unknown>>): Detail[] {
  const { id, name, slug } = value
  const details: Detail[] = []
  if (id !== undefined && !(typeof id === 'string' && SERVER_ID.test(id))) {
    details.push({ path: 'id', message: 'must be 16 lower-case hex digits' })
  }
  if (typeof name !== 'string') details.push({ path: 'name', message: 'must be a string' })
  if (slug !== undefined && typeof slug !== 'string') {
    details.push({ path: 'slug', message: 'must be a string' })
  }
  for (const kind of KINDS) {
    const items = value[kind] ?? []
    if (Array.isArray(items)) details.push(...problemsOfItems(items, kind, NAME_OF[kind]))
    else details.push({ path: kind, message: 'must be an array' })
  }
  return details
}

function problemsOfItems(items: readonly unknown[], at: string, member: string): Detail[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const path = `${at}[${index}]`
    if (!isObject(item)) return [{ path, message: 'must be an object' }]
    const name = item[member]
    if (typeof name !== 'string') {
      return [{ path: `${path}.${member}`, message: 'must be a string' }]
    }
    if (seen.has(name)) return [{ path: `${path}.${member}`, message: `"${name}" stands twice` }]
    seen.add(name)
    return []
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
