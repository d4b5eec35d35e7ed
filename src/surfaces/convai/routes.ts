/** Every route of convai, a family of it after the other (`convai-api.md` §1). */
import type { Route } from './route.ts'
import { SERVER_ROUTES } from './server-routes.ts'
import { VARIABLE_ROUTES } from './variable-routes.ts'

export const ROUTES: readonly Route[] = [...SERVER_ROUTES, ...VARIABLE_ROUTES]
