/**
 * The tools of a gateway that a caller sees, under a key that is the same exactly when they are: so
 * what is rendered for one caller is there for all who see the same.
 */
import { MANAGE, type Gateway, type GatewayTool } from '../catalog/gateway.ts'
import { sha256Hex } from '../sealing/digest.ts'
import { withheldManage, withheldOnGateway, type Reason, type View } from './gateway.ts'

export type VisibleTools = { names: ReadonlySet<string>; key: string }

/** Why a tool of the gateway is withheld from a view of it; undefined when it is visible. */
export function withheldTool(
  { capability, operation }: GatewayTool,
  view: View,
): Reason | undefined {
  if (capability === MANAGE) return withheldManage(operation, view)
  return withheldOnGateway({ capability, operation }, view)
}

/** What is visible, with its key. */
export function visibleOnGateway(
  { tools, surface }: Gateway,
  who: Omit<View, 'surface'>,
): VisibleTools {
  const view = { ...who, surface }
  const visible = [...tools].filter(([, tool]) => withheldTool(tool, view) === undefined)
  const names = new Set(visible.map(([name]) => name))
  return { names, key: sha256Hex(JSON.stringify([...names])) }
}
