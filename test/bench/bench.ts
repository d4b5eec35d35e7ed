/**
 * `npm run bench`: what Rollcall costs, held against bars (exit code 1 where one is missed).
 * `node test/bench/bench.ts 50 cold` runs the scenarios whose names have one of the words.
 *
 * What is compared is CPU time of workerd for each request, as a multiple of a floor beside it; see
 * compare.ts. Requests a second and latencies stand beside it, but other work on the machine moves
 * them more than anything here does. What is stored stands in memory where there is room for it: each
 * session is a database with files of its own, and a disk would be all that is measured. Linux only.
 */
import { statfsSync } from 'node:fs'
import { SCENARIOS } from './scenarios.ts'
import { formatTable, type Row } from './table.ts'

process.env['WRANGLER_SEND_METRICS'] = 'false'
process.env['CLOUDFLARE_CF_FETCH_ENABLED'] = 'false'

const MEMORY_DISK = '/dev/shm'
const MEMORY_DISK_BYTES = 1024 ** 3 // four times what is stored at once
const { bavail, bsize } = statfsSync(MEMORY_DISK)
if (bavail * bsize >= MEMORY_DISK_BYTES) process.env['TMPDIR'] = MEMORY_DISK

const LIMIT_MS = 15 * 60 * 1000 // it takes five minutes; whatever hangs must not hang CI
setTimeout(() => {
  console.error('The bench did not come to an end')
  process.exit(2)
}, LIMIT_MS).unref()

const words = process.argv.slice(2)
const chosen = SCENARIOS.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)
if (chosen.length === 0) {
  console.error(`No such scenario. There are: ${SCENARIOS.map(({ name }) => name).join('; ')}`)
  process.exit(2)
}

const rows: Row[] = []
for (const { name, run } of chosen) {
  const began = performance.now()
  process.stderr.write(`${name} … `)
  rows.push(...(await run()))
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s\n`)
}
console.log(`\n${formatTable(rows)}\n`)
process.exitCode = rows.some(({ verdict }) => verdict === 'fail') ? 1 : 0
