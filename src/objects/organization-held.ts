/**
 * The part of Organization that is about calls on the gateway: whether one may be made, and those that
 * are held for a person. A class of its own because only methods of the object are reached over RPC.
 */
import { OrganizationConnects } from './organization-connects.ts'
import type { Write } from './organization/context.ts'
import * as held from './organization/held-commands.ts'
import { describeHeld, readHeld } from './organization/held-records.ts'
import type { HeldState } from './organization/held-rows.ts'

export class OrganizationHeld extends OrganizationConnects {
  /** Decides a call on the gateway, and counts or holds it; a refusal of the tool is a value, too. */
  async authorizeCall(call: held.CallToHold) {
    return this.life.command((context) => held.authorizeOrHold(context, this.life.keys, call))
  }

  /** How a held call stands for its caller, who waits for it by asking; undefined for any not its own. */
  async waitForHeld(principal: string, id: string) {
    return this.life.command((context) => held.waitForHeld(context, this.life.keys, principal, id))
  }

  /** Begins a held call that was approved, at most once. */
  async beginHeld(beginning: held.Beginning) {
    return this.life.command((context) => held.beginHeld(context, this.life.keys, beginning))
  }

  /** Takes in how the run of a held call ended. */
  async finishHeld(ending: held.Ending) {
    return this.life.command((context) => held.finishHeld(context, this.life.keys, ending))
  }

  /** Decides a held call for a person, once; gives the call as it stands then. */
  async decideHeld(id: string, state: 'approved' | 'denied', write: Write) {
    return this.life.command(async (context) => {
      held.decideHeld(context, id, state, write)
      return describeHeld(context, this.life.keys, id)
    })
  }

  async describeHeld(id: string) {
    return this.life.command((context) => describeHeld(context, this.life.keys, id))
  }

  async listHeld(
    state: HeldState | undefined,
    page: { before: number; limit: number },
    withArguments: boolean,
  ) {
    return this.life.command((context) =>
      readHeld(context, this.life.keys, { state, ...page, withArguments }),
    )
  }
}
