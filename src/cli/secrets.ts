/**
 * The secrets of a development deployment: from the environment where they are set, else from
 * `.dev.vars`, which is written once with random values.
 */
import { randomBytes } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'

const MADE: Readonly<Record<string, () => string>> = {
  OPERATOR_TOKEN: () => `rco_${randomBytes(32).toString('hex')}`,
  SESSION_JWT_SECRET: () => randomBytes(32).toString('base64url'),
  SEAL_KEYS: () => `dev1:${randomBytes(32).toString('base64')}`,
  NAME_KEY: () => randomBytes(32).toString('base64'),
}

/** Every secret by name; the file is made or completed where one is missing in both places. */
export async function readSecrets(
  file: string,
  environment: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const text = await readText(file)
  const stored = parseEnv(text)
  const secrets: Record<string, string> = {}
  let added = ''
  for (const [name, make] of Object.entries(MADE)) {
    const value = environment[name] ?? stored[name] ?? make()
    if (environment[name] === undefined && stored[name] === undefined)
      added += `${name}="${value}"\n`
    secrets[name] = value
  }
  if (added !== '') {
    const separator = text === '' || text.endsWith('\n') ? '' : '\n'
    await writeFile(file, text + separator + added, { mode: 0o600 })
    await chmod(file, 0o600)
  }
  return secrets
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
