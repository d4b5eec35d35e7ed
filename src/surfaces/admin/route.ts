/** A route of the admin API: a line of the tables that route it and that `GET /openapi.json` is made of. */
import * as z from 'zod'
import type { AdminCall } from './call.ts'
import type { OperatorCall } from './organizations.ts'

/** What a route is to the document: what it takes and answers. */
export type Shape = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  body?: z.ZodType
  /** Query parameters, by name. */
  query?: Readonly<Record<string, string>>
  /** What success is, by status; null for no body. */
  answers: Readonly<Record<number, z.ZodType | null>>
}

/** A route with what handles it. */
export type Route = Shape &
  (
    | { scope: 'organization'; handler: (call: AdminCall) => Promise<Response> }
    | { scope: 'deployment'; handler: (call: OperatorCall) => Promise<Response> }
  )

/** A page of items. */
export const listOf = (item: z.ZodType) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })
/** The query of every list. */
export const PAGE = {
  limit: 'At most so many items, 1 to 1000',
  cursor: 'nextCursor of the page before',
}

/** A route in the organization that a request names. */
export const inOrganization = (
  method: Route['method'],
  path: string,
  handler: (call: AdminCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'organization', method, path, handler, ...rest })

/** A route in no organization. */
export const inDeployment = (
  method: Route['method'],
  path: string,
  handler: (call: OperatorCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'deployment', method, path, handler, ...rest })
