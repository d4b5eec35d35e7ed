import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  decodeHeaderValue,
  encodeHeaderValue,
  essenceOf,
  isJson,
} from '../../src/protocol/headers.ts'

describe('essenceOf', () => {
  const cases: [string | null, string, boolean][] = [
    ['application/json', 'application/json', true],
    ['application/json; charset=utf-8', 'application/json', true],
    ['Application/JSON;charset=utf-8', 'application/json', true],
    [' application/json ;x', 'application/json', true],
    ['application/jsonp', 'application/jsonp', false],
    ['application/json-patch+json', 'application/json-patch+json', false],
    ['text/plain; note=application/json', 'text/plain', false],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', false],
    ['', '', false],
    [null, '', false],
  ]
  for (const [mediaType, essence, json] of cases) {
    it(`§9.2 #63: reads '${mediaType}' as '${essence}', ${json ? '' : 'not '}JSON`, () => {
      assert.equal(essenceOf(mediaType), essence)
      assert.equal(isJson(mediaType), json)
    })
  }
})

describe('decodeHeaderValue', () => {
  const cases: [string, string | undefined][] = [
    ['plain', 'plain'],
    ['', ''],
    ['a\tb ~', 'a\tb ~'],
    // What is beyond printable ASCII has to come in base64.
    ['Zürich', undefined],
    ['a\u007f', undefined],
    ['a\u0001', undefined],
    ['=?base64?é', undefined],
    ['=?base64?aGk=?=', 'hi'],
    ['=?base64?Z3LDvMOf?=', 'grüß'],
    ['=?base64??=', ''],
    ['=?base64?77u/?=', '\ufeff'],
    ['=?base64?PT9iYXNlNjQ/?=', '=?base64?'],
    // Strict: what atob would let pass.
    ['=?base64?aGk?=', undefined],
    ['=?base64?aGk==?=', undefined],
    ['=?base64?aG k=?=', undefined],
    ['=?base64? aGk=?=', undefined],
    ['=?base64?aGk-?=', undefined],
    ['=?base64?a?=', undefined],
    ['=?base64?====?=', undefined],
    ['=?base64?/w==?=', undefined],
    ['=?base64?7aCA?=', undefined],
    // Without both markers, in lower case, a value is itself.
    ['=?BASE64?aGk=?=', '=?BASE64?aGk=?='],
    ['=?Base64?aGk=?=', '=?Base64?aGk=?='],
    ['=?base64?aGk=', '=?base64?aGk='],
    ['base64?aGk=?=', 'base64?aGk=?='],
    ['=?base64?=', '=?base64?='],
    ['=?utf-8?aGk=?=', '=?utf-8?aGk=?='],
  ]
  for (const [value, text] of cases) {
    it(`§9.2 #33: reads '${value}' as ${text === undefined ? 'no value' : JSON.stringify(text)}`, () => {
      assert.equal(decodeHeaderValue(value), text)
    })
  }
})

describe('encodeHeaderValue', () => {
  const cases: [string, string][] = [
    ['weather.get', 'weather.get'],
    ['a\tb ~', 'a\tb ~'],
    ['=?utf-8?aGk=?=', '=?utf-8?aGk=?='],
    ['', '=?base64??='],
    [' eu', '=?base64?IGV1?='],
    ['eu\t', '=?base64?ZXUJ?='],
    ['grüß', '=?base64?Z3LDvMOf?='],
    ['a\r\nb', '=?base64?YQ0KYg==?='],
    ['a\u007f', '=?base64?YX8=?='],
    ['=?base64?aGk=?=', '=?base64?PT9iYXNlNjQ/YUdrPT89?='],
  ]
  for (const [text, value] of cases) {
    it(`§9.2 #33: writes ${JSON.stringify(text)} as '${value}', which reads back`, () => {
      assert.equal(encodeHeaderValue(text), value)
      assert.equal(decodeHeaderValue(value), text)
    })
  }
})
