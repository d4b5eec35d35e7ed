/** Results of tools as text for people. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeResult } from '../../src/cli/describe-result.ts'

const text = (of: string) => ({ type: 'text', text: of })

const CASES: readonly [title: string, result: unknown, told: string][] = [
  ['texts as they are', { content: [text('12 °C\n\twind'), text('dry')] }, '12 °C\n\twind\ndry'],
  [
    'text before structured content',
    { content: [text('12')], structuredContent: { degrees: 12 } },
    '12',
  ],
  [
    'structured content where there is no text',
    { content: [], structuredContent: { degrees: 12 } },
    '{\n  "degrees": 12\n}',
  ],
  [
    'an image by type and size',
    { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(16_384) }] },
    '[image image/png 12 KiB]',
  ],
  [
    'resources by address',
    {
      content: [
        { type: 'resource_link', uri: 'docs://a', name: 'A', mimeType: 'text/plain' },
        { type: 'resource', resource: { uri: 'docs://b', text: 'four' } },
      ],
    },
    '[resource_link docs://a text/plain]\n[resource docs://b 4 B]',
  ],
  ['nothing as such', { content: [] }, '[no content]'],
  [
    'what is no result as JSON',
    { resultType: 'input_required' },
    '{\n  "resultType": "input_required"\n}',
  ],
  [
    'what would steer a terminal as escapes',
    { content: [text('\u001b]0;x\u0007')] },
    '\\u001b]0;x\\u0007',
  ],
]

describe('describeResult', () => {
  for (const [title, result, told] of CASES) {
    it(`tells ${title}`, () => assert.equal(describeResult(result), told))
  }
})
