/** Deciding a held call in a browser: signing in as who may not and as an admin, approving, denying. */
import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callTool } from '../support/gateway-client.ts'
import { outcomeOf, startHeldWorld } from '../support/held.ts'
import { CLIENT, startOAuthServer } from '../support/upstreams/oauth-server.ts'
import type { Screen } from './pages.ts'

/** Walks through all of it. */
export async function approve({ page, seen }: Screen): Promise<void> {
  const login = await startOAuthServer()
  const front = await startFront()
  const world = await startHeldWorld({
    PUBLIC_URL: front.url,
    OAUTH_ISSUERS: JSON.stringify([{ issuer: login.url, clientId: CLIENT.id }]),
    OAUTH_CLIENT_SECRETS: JSON.stringify({ [login.url]: CLIENT.secret }),
  })
  try {
    front.leadTo(world.rollcall.url)
    const externalId = { issuer: login.url, subject: 'boss' }
    await world.acme.person('member', { role: 'admin', externalId })
    const hold = async () => {
      const args = { to: `${'x'.repeat(2000)} \u202Ecod.exe`, amount: 7 }
      const { result } = await callTool(world.rollcall, world.agent.key, 'bank__pay', args)
      return { id: result.structuredContent.approval_id, url: result.structuredContent.url }
    }
    const signInAs = async (user: string) => {
      login.now.user = user
      const answer = page.waitForResponse((response) => response.url().includes('/oauth/callback?'))
      await page.getByRole('button', { name: 'Sign in at' }).click()
      await answer
      await page.waitForURL(/\/approve\?link=/)
    }

    const approved = await hold()
    await page.goto(approved.url)
    assert.doesNotMatch(await seen('approve-sign-in'), /Bank|pay|xxx/)
    await signInAs('mate')
    assert.match(await seen('approve-another'), /You may not decide this/)
    await signInAs('boss')
    const text = await seen('approve')
    for (const told of ['pay', 'Bank', 'A agent', '"amount": 7', '\\u202ecod.exe']) {
      assert.ok(text.includes(told), `${told} in ${text}`)
    }
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    await seen('approved')
    assert.match(await outcomeOf(world, world.agent.key, approved.id), /^\/pay\//)

    const denied = await hold()
    await page.goto(denied.url)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    await seen('denied-call')
    await page.goto(denied.url)
    assert.match(await seen('decided'), /it is denied/)
    assert.equal(await outcomeOf(world, world.agent.key, denied.id), 'approval_denied')
  } finally {
    await world.close()
    await front.close()
    await login.close()
  }
}

/** The address that people reach a Rollcall at, known before that has started. */
async function startFront() {
  let target = ''
  const server = createServer((asked, answer) => {
    const { host } = new URL(target)
    const headers = { ...asked.headers, host }
    const passed = request(target + asked.url, { method: asked.method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url: string) => {
      target = url
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
