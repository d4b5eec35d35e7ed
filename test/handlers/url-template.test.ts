import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  fillUrlTemplate,
  PathStep,
  placeholdersOf,
  problemOfUrlTemplate,
} from '../../src/handlers/url-template.ts'

describe('problemOfUrlTemplate', () => {
  for (const [template, problem] of [
    ['https://api.example.com/{a}/b?c=d', undefined],
    ['https://api.example.com/v{a}.json', undefined],
    ['ftp://example.com/', /https/],
    ['https://{host}/x', /host/],
    ['https://example.com/?q={a}', /"in": "query"/],
    ['https://example.com/#{a}', /fragment/],
    ['https://example.com/{a/b}', /brace/],
    ['https://example.com/{a', /brace/],
    ['https://example.com/a b', /blanks/],
    ['https://me:you@example.com/', /user name/],
  ] as const) {
    it(`says ${problem ?? 'nothing'} of ${template}`, () => {
      const found = problemOfUrlTemplate(template)
      if (problem === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', problem)
    })
  }
})

describe('fillUrlTemplate', () => {
  const fill = (value: string) => fillUrlTemplate('https://a.example/x/{v}/y?z=1', () => value)
  for (const [value, segment] of [
    ['Köln', 'K%C3%B6ln'],
    ['?q=1#f', '%3Fq%3D1%23f'],
    ['a\\b', 'a%5Cb'],
  ] as const) {
    it(`keeps ${value} in its segment`, () => {
      const url = fill(value)
      assert.equal(url, `https://a.example/x/${segment}/y?z=1`)
      assert.equal(new URL(url).href, url)
    })
  }
  for (const step of ['', '.', '..', 'a/../b', '%2e%2e']) {
    it(`refuses "${step}", which would be a step`, () => {
      assert.throws(() => fill(step), PathStep)
    })
  }
  it('fills several arguments of a segment, and nothing of what is literal', () => {
    const template = 'https://a.example/v1.0/{a}-{b}.json/{a}?x=1'
    const url = fillUrlTemplate(template, (name) => `${name}/$&`)
    assert.equal(url, 'https://a.example/v1.0/a%2F%24%26-b%2F%24%26.json/a%2F%24%26?x=1')
    assert.deepEqual(placeholdersOf(template), ['a', 'b', 'a'])
  })

  it('names the arguments that make a step together', () => {
    assert.throws(() => fillUrlTemplate('https://a.example/{a}{b}/{c}', () => '.'), {
      names: ['a', 'b'],
    })
  })
})
