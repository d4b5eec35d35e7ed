import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '../../../src/protocol/http-error.ts'
import { html } from '../../../src/surfaces/pages/html.ts'
import { answerPage, formatGoingOn, formatPage } from '../../../src/surfaces/pages/page.ts'

describe('A page', () => {
  it('runs no script, is framed by nobody, stored nowhere, and sends its form here alone', async () => {
    const { headers } = formatPage({ title: 'Hello', body: html`<p>text</p>` })
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self'/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-frame-options'), 'DENY')
  })

  it('has a title that is text alone', async () => {
    const page = await formatPage({ title: '</title><script>', body: html`` }).text()
    assert.doesNotMatch(page, /<script>/)
  })

  it('goes on to an address without breaking out of it', async () => {
    const to = new URL('https://as.example.com/?x=%22&y=1')
    const page = await formatGoingOn(to, 'as.example.com').text()
    assert.match(page, /content="0;url=https:\/\/as\.example\.com\/\?x=%22&amp;y=1"/)
  })

  it('is also what a refusal becomes, with its status', async () => {
    const answer = await answerPage(async () => {
      throw new HttpError(410, 'link_expired', 'This link has <expired>')
    })
    assert.equal(answer.status, 410)
    assert.match(await answer.text(), /has &lt;expired&gt;/)
  })
})
