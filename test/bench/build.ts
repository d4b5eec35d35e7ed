/** Built Workers: Rollcall as `wrangler deploy` would upload it, the contenders by esbuild. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../..')

let script: Promise<string> | undefined

/** The text of Rollcall's Worker, built once for all scenarios. */
export function rollcallScript(): Promise<string> {
  script ??= buildRollcall()
  return script
}

async function buildRollcall(): Promise<string> {
  const outdir = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  try {
    const wrangler = join(ROOT, 'node_modules/.bin/wrangler')
    const args = ['deploy', '--dry-run', '--outdir', outdir]
    await promisify(execFile)(wrangler, args, { cwd: ROOT })
    return await readFile(join(outdir, 'worker.js'), 'utf8')
  } finally {
    await rm(outdir, { recursive: true })
  }
}

/** The text of one of the Workers in workers/. */
export async function buildContender(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'workers', `${name}.ts`)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  })
  return outputFiles[0]?.text ?? ''
}
