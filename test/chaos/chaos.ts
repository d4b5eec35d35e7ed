/** `npm run chaos`: kills Rollcall many times. `node test/chaos/chaos.ts [kills] [seed]` */
import { randomInt } from 'node:crypto'
import { crash } from './crash.ts'

const MAX_SEED = 2 ** 32

const kills = Number(process.argv[2] ?? 100)
const seed = Number(process.argv[3] ?? randomInt(MAX_SEED))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const since = performance.now()
console.log(`${kills} kills, seed ${seed}`)
const { kills: killed, counts, violations } = await crash({ kills, seed, say: console.log })
const seconds = Math.round((performance.now() - since) / 1000)
console.log(`${killed} kills in ${seconds} s, seed ${seed}: ${JSON.stringify(counts)}`)
for (const violation of violations) console.log(`VIOLATION ${violation}`)
console.log(`${violations.length} violations`)
if (violations.length > 0) process.exitCode = 1
