/** Server files from disk: found and parsed. What is wrong in one is for the deployment to say. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

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
  return { text, value }
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
