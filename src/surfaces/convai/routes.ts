/** Every route of convai, a family of it after the other (`convai-api.md` §1). */
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = []
