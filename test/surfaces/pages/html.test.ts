import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../../src/surfaces/pages/html.ts'

describe('html', () => {
  it('escapes every value, in text and in attributes', () => {
    const name = `<script>alert("x")</script> & 'y'`
    assert.equal(
      html`<b title="${name}">${name}</b>`.toString(),
      '<b title="&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;">' +
        '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;</b>',
    )
  })

  // A name with U+202E turned the warning after it, so that nobody could read it.
  it('shows what would turn or hide text, whoever chose it', () => {
    const page = html`<b>${'\u202Enna\u200B'}</b> may act`.toString()
    assert.equal(page, '<b>\\u202enna\\u200b</b> may act')
  })

  it('takes other HTML as it is, lists of it, and nothing', () => {
    const rows = ['a', '<'].map((row) => html`<i>${row}</i>`)
    assert.equal(html`<b>${rows}${undefined}</b>`.toString(), '<b><i>a</i><i>&lt;</i></b>')
  })

  it('does not take what only looks like HTML of ours', () => {
    const forged = { text: '<i>', toString: () => '<i>' } as never
    assert.doesNotMatch(html`<p>${forged}</p>`.toString(), /<i>/)
  })
})
