/** The size of the Worker that is uploaded. */
import { gzipSync } from 'node:zlib'
import { rollcallScript } from './build.ts'
import type { FigureRow, Row } from './table.ts'

const KIBIBYTE = 1024
const MAX_GZIP_KIB = 250

export async function measureBundle(): Promise<Row[]> {
  const plain = await rollcallScript()
  const bytes = gzipSync(plain, { level: 9 }).length
  return [
    {
      ...figure('gzip -9', bytes, 'wrangler deploy --dry-run, worker.js'),
      bar: `≤ ${MAX_GZIP_KIB} KiB`,
      verdict: bytes <= MAX_GZIP_KIB * KIBIBYTE ? 'pass' : 'fail',
    },
    figure('as it is', Buffer.byteLength(plain), 'the same'),
  ]
}

function figure(name: string, bytes: number, how: string): FigureRow {
  const value = `${(bytes / KIBIBYTE).toFixed(1)} KiB`
  return {
    kind: 'figure',
    scenario: 'bundle',
    figure: name,
    value,
    bar: '',
    verdict: 'reported',
    how,
  }
}
