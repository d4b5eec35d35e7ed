/**
 * Lets the Worker of wrangler's test harness reach loopback by itself. The harness makes each of its
 * requests over again with Node's `fetch`, which follows redirects on its own account and never
 * learns that the Worker has aborted one. Importing this takes that detour out; what is there to be
 * taken out is checked, so that a wrangler that does otherwise is noticed.
 */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

type Input = { dev: { outboundService?: unknown } }
type Controller = { set: (input: Input, ...rest: unknown[]) => unknown }
type DevEnv = new (...args: unknown[]) => { config: Controller }

const wrangler = createRequire(import.meta.url)('wrangler') as { unstable_DevEnv: DevEnv }

wrangler.unstable_DevEnv = class extends wrangler.unstable_DevEnv {
  constructor(...args: unknown[]) {
    super(...args)
    const set = this.config.set.bind(this.config)
    this.config.set = ({ dev, ...input }, ...rest) => {
      const { outboundService, ...direct } = dev
      assert.equal(typeof outboundService, 'function', 'the harness makes no detour any more')
      return set({ ...input, dev: direct }, ...rest)
    }
  }
}
