/**
 * CPU time of a process and its threads, its memory, and finding the workerd a Miniflare started. Read
 * from `/proc`, so the bench runs on Linux alone. `/proc/<pid>/stat` sums the threads, those that have
 * ended included; it counts in ticks of 10 ms, so what is measured should take half a second.
 */
import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10 // USER_HZ is 100 on every Linux that Node runs on
const PARENT = 1
const USER_TICKS = 11
const SYSTEM_TICKS = 12

/** CPU time of a process so far, in milliseconds: user and system, all threads. */
export function cpuMsOf(pid: number): number {
  const fields = statOf(pid)?.fields
  if (fields === undefined) throw new Error(`process ${pid} has ended`)
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) * TICK_MS
}

/** What a process has in physical memory, in bytes. */
export function residentBytesOf(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

/** The workerd processes this one has started and that still run. */
export function ownRuntimes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid)
      return stat?.name === 'workerd' && Number(stat.fields[PARENT]) === process.pid
    })
}

/** A process's name, and the fields that follow it; the name may itself have spaces. */
function statOf(pid: number): { name: string; fields: string[] } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = text.lastIndexOf(')')
    return { name: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') }
  } catch {
    return undefined // it ended meanwhile
  }
}
