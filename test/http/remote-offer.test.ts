/** Prompts, resources and completions of remote servers of every kind. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { describeKinds } from '../support/remote-setups.ts'
import { openSession } from '../support/sessions.ts'

describe('What a remote server offers beside tools', () => {
  describeKinds((at) => {
    /** The answers to a session, a client without one, and a modern client. */
    const askAll = async (method: string, params: { name?: string; uri?: string }) => {
      const session = await openSession(at.relay.rollcall, at.endpoint)
      const { rollcall } = at.relay
      const answers = {
        session: await session.post(legacy(method, params)),
        alone: await rollcall.post(at.endpoint, legacy(method, params)),
        modern: await rollcall.post(
          at.endpoint,
          modern(method, params),
          modernHeaders(method, params.name ?? params.uri),
        ),
      }
      return Object.entries(answers).map(([client, { json }]) => ({ ...json, client }))
    }

    it('are prompts with their arguments', async () => {
      const params = { name: 'greet', arguments: { name: 'Ada', style: 'warmly' } }
      for (const { result, client } of await askAll('prompts/get', params)) {
        assert.equal(result.messages[0].content.text, 'Greet Ada, warmly', client)
        assert.equal(result.resultType, client === 'modern' ? 'complete' : undefined)
        assert.equal('ttlMs' in result, false)
      }
    })

    it('35: are resources, listed, of a template, or of neither, kept by no cache', async () => {
      for (const [uri, member, value] of [
        ['memo://one', 'text', 'the first memo'],
        ['memo://blob', 'blob', 'AAEC/w=='],
        ['memo://notes/7', 'text', 'note 7'],
      ] as const) {
        for (const { result, client } of await askAll('resources/read', { uri })) {
          assert.equal(result.contents[0][member], value)
          const hints = [result.ttlMs, result.cacheScope]
          assert.deepEqual(hints, client === 'modern' ? [0, 'private'] : [undefined, undefined])
        }
      }
    })

    it('20: is no unknown resource, by the code of the era', async () => {
      for (const { error, client } of await askAll('resources/read', { uri: 'memo://no' })) {
        assert.equal(error.code, client === 'modern' ? -32602 : -32002)
        assert.deepEqual(error.data, { uri: 'memo://no' })
      }
    })

    it('are completions of prompts and templates', async () => {
      for (const [ref, argument, values] of [
        [{ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }, ['Ada', 'Alan']],
        [
          { type: 'ref/resource', uri: 'memo://notes/{id}' },
          { name: 'id', value: '1' },
          ['1', '10'],
        ],
      ] as const) {
        const answers = await askAll('completion/complete', { ref, argument } as object)
        for (const { result } of answers) assert.deepEqual(result.completion.values, values)
      }
    })
  })
})
