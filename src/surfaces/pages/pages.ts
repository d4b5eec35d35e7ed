/** The pages for people, a path each: what answers there, and that every refusal is a page, too. */
import type { Platform, Visit } from '../platform.ts'
import { showApproval, submitApproval } from './approve.ts'
import { returnConnect, showConnect, submitConnect } from './connect.ts'
import { answerPage } from './page.ts'
import { finishSignIn, isOfSignIn } from './sign-in.ts'

/** `GET /connect` */
export function connectPage(platform: Platform, visit: Visit): Promise<Response> {
  return answerPage(() => showConnect(platform, visit))
}

/** `POST /connect` */
export function connectForm(platform: Platform, visit: Visit): Promise<Response> {
  return answerPage(() => submitConnect(platform, visit))
}

/** `GET /oauth/callback`, the one redirect URI of this deployment. */
export function oauthCallback(platform: Platform, visit: Visit): Promise<Response> {
  const state = new URL(visit.request.url).searchParams.get('state')
  return answerPage(() =>
    isOfSignIn(state) ? finishSignIn(platform, visit) : returnConnect(platform, visit),
  )
}

/** `GET /approve` */
export function approvalPage(platform: Platform, visit: Visit): Promise<Response> {
  return answerPage(() => showApproval(platform, visit))
}

/** `POST /approve` */
export function approvalForm(platform: Platform, visit: Visit): Promise<Response> {
  return answerPage(() => submitApproval(platform, visit))
}
