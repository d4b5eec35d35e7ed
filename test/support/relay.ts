/** A Rollcall that reaches upstreams on loopback, and remote servers in it. */
import { createServer } from './admin.ts'
import { startRollcall, type Rollcall } from './rollcall.ts'

export type Relay = {
  rollcall: Rollcall
  /** Makes a server of a remote one, open to all at its endpoint; the admin API's answer. */
  serve(url: string, remote?: object, members?: object): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- whatever came
  close(): Promise<void>
}

/** Starts one. */
export async function startRelay(vars: Record<string, string> = {}): Promise<Relay> {
  const rollcall = await startRollcall({
    vars: { ALLOW_PRIVATE_UPSTREAMS: '1', INITIALIZE_LIMIT: '6000', ...vars },
  })
  let made = 0
  return {
    rollcall,
    serve(url, remote = {}, members = {}) {
      made += 1
      const file = { name: `Remote ${made}`, kind: 'remote', hosted: true, ...members }
      return createServer(rollcall, { ...file, remote: { url, ...remote } })
    },
    close: () => rollcall.close(),
  }
}
