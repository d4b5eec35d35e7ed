/** One route of the admin API: what its request and answers are, who may ask, and what runs. */
import * as z from 'zod'
import type { Act } from '../../callers/may.ts'
import type { AdminCall } from './call.ts'
import type { OperatorCall } from './organizations.ts'

type Shape = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** What a request has to be allowed at least; a handler may ask for more. */
  act: Act
  summary: string
  body?: z.ZodType
  /** Query parameters, by name. */
  query?: Readonly<Record<string, string>>
  /** What success is, by status; null for no body. */
  answers: Readonly<Record<number, z.ZodType | null>>
}

export type Route = Shape &
  (
    | { scope: 'organization'; handler: (call: AdminCall) => Promise<Response> }
    | { scope: 'deployment'; handler: (call: OperatorCall) => Promise<Response> }
  )

/** A page of items. */
export const listOf = (item: z.ZodType) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })
/** What every list takes. */
export const PAGE = {
  limit: 'At most so many items, 1 to 1000',
  cursor: 'nextCursor of the page before',
}

/** A route about what is one organization's. */
export const inOrganization = (
  method: Route['method'],
  path: string,
  handler: (call: AdminCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'organization', method, path, handler, ...rest })

/** A route about the deployment. */
export const inDeployment = (
  method: Route['method'],
  path: string,
  handler: (call: OperatorCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'deployment', method, path, handler, ...rest })
