/**
 * Commands on the tools of a remote server. They are that server's: what an operator changes of them
 * are overrides, in the server's settings, by the names they have there.
 */
import { formatItem } from '../../catalog/item.ts'
import { patchOverride, type Overrides } from '../../catalog/overrides.ts'
import { originalNameOf } from '../../catalog/remote-items.ts'
import { requireCoherent } from '../../catalog/server.ts'
import type { Context, Write } from './context.ts'
import { requireRevision, requireServer, writeServer } from './servers.ts'
import { allTools, requireFree, requireTool, withFirst } from './tools.ts'

/** Changes what a tool is shown as; `null` takes a member back to what the remote server says. */
export function patchRemoteTool(
  context: Context,
  server: string,
  name: string,
  patch: Readonly<Record<string, unknown>>,
  write: Write,
): { tool: string; revision: number; created: boolean } {
  const { sql } = context
  return context.transact(() => {
    const tool = requireTool(sql, server, name)
    const original = originalNameOf(tool)
    const revision = change(
      context,
      server,
      'tools.patch',
      `${server}/${name}`,
      write,
      (before) => {
        const override = patchOverride(ownOf(before, original), patch)
        if (override.name !== undefined && override.name !== name) {
          requireFree(sql, server, override.name)
        }
        return { ...before, [original]: override }
      },
    )
    const after = allTools(sql, server).find((item) => originalNameOf(item) === original)
    return { tool: after === undefined ? '' : formatItem(after), revision, created: false }
  })
}

/** Puts the named tools first; the rest after them, those without an order in the remote server's. */
export function reorderRemoteTools(
  context: Context,
  server: string,
  names: readonly string[],
  write: Write,
): { names: string[]; revision: number } {
  const { sql } = context
  return context.transact(() => {
    const revision = change(context, server, 'tools.reorder', server, write, (before) => {
      const ordered = withFirst(allTools(sql, server), names).map(originalNameOf)
      const orders = ordered.flatMap((original, sortOrder) => {
        const override = ownOf(before, original)
        const hasOrder = sortOrder < names.length || override.sortOrder !== undefined
        return hasOrder ? [[original, { ...override, sortOrder }] as const] : []
      })
      return { ...before, ...Object.fromEntries(orders) }
    })
    return { names: allTools(sql, server).map(({ name }) => name), revision }
  })
}

/** Writes other overrides; the revision that stands afterwards. */
function change(
  { sql, now }: Context,
  id: string,
  act: string,
  target: string,
  { actor, expected }: Write,
  next: (before: Overrides) => Overrides,
): number {
  const server = requireServer(sql, id)
  requireRevision(server, expected)
  const overrides = next(server.settings.overrides ?? {})
  const settings = requireCoherent({ ...server.settings, overrides: { ...overrides } })
  return writeServer(sql, id, { settings }, { actor, act, target }, now)
}

function ownOf(overrides: Overrides, original: string) {
  return (Object.hasOwn(overrides, original) ? overrides[original] : undefined) ?? {}
}
