/** What is said of single tools, as the official client has it (E10–E13). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { places, refusalOf, SERVERS, useConfiguring } from '../support/configurations.ts'
import { TOOL_DEFAULTS } from '../support/convai-configs.ts'

const world = useConfiguring()
const { servers, create } = world

describe('what is said of a tool', () => {
  it('is all kept where it is said of forty at once', async () => {
    const { id } = await create()
    const names = Array.from({ length: 40 }, (_, index) => `tool_${index}`)
    await Promise.all(names.map((toolName) => servers().toolConfigs.create(id, { toolName })))
    const { config } = await servers().get(id)
    const kept = config.toolConfigOverrides?.map(({ toolName }) => toolName)
    assert.deepEqual(kept?.toSorted(), names.toSorted())
  })

  it('is made once, read, changed and taken back', async () => {
    const { id } = await create()
    const { toolConfigs } = servers()
    const made = await toolConfigs.create(id, {
      environment: 'staging',
      toolName: 'a/b c',
      responseTimeoutSecs: 9,
      inputOverrides: { $ref: { source: 'constant', constantValue: 'x' } },
    })
    assert.deepEqual(
      made.config.toolConfigOverrides?.map(({ toolName }) => toolName),
      ['a/b c'],
    )
    assert.deepEqual(await refusalOf(toolConfigs.create(id, { toolName: 'a/b c' })), {
      name: 'ConflictError',
      status: 409,
      code: 'tool_config_already_exists',
    })
    const path = `${SERVERS}/${id}/tool-configs/a%2Fb%20c`
    const { json } = await world.convai.ask('GET', path)
    const expected = {
      ...TOOL_DEFAULTS,
      tool_name: 'a/b c',
      response_timeout_secs: 9,
      input_overrides: { $ref: { source: 'constant', constant_value: 'x' } },
    }
    assert.deepEqual(json, expected)
    const body = { response_timeout_secs: null, pre_tool_speech: 'off', tool_name: 'other' }
    await world.convai.ask('PATCH', `${path}?environment=staging`, body)
    assert.deepEqual((await world.convai.ask('GET', path)).json, {
      ...expected,
      response_timeout_secs: null,
      pre_tool_speech: 'off',
    })
    const without = await toolConfigs.delete(id, 'a/b c')
    assert.deepEqual(without.config.toolConfigOverrides, [])
    const missing = { name: 'NotFoundError', status: 404, code: 'tool_config_not_found' }
    assert.deepEqual(await refusalOf(toolConfigs.get(id, 'a/b c')), missing)
    assert.deepEqual(await refusalOf(toolConfigs.update(id, 'a/b c', {})), missing)
    const deleted = { ...missing, name: 'ElevenLabsError' }
    assert.deepEqual(await refusalOf(toolConfigs.delete(id, 'constructor')), deleted)
  })

  it('is refused with each wrong field at its place', async () => {
    const { id } = await create()
    const answer = await world.convai.ask('POST', `${SERVERS}/${id}/tool-configs`, {
      assignments: [{ dynamic_variable: 'a' }],
      response_mocks: [{ mock_result: '', parameter_conditions: [{ path: 'a', eval: {} }] }],
      input_overrides: { a: { source: 'omit' }, '$.a[*]': { source: 'omit' } },
    })
    assert.deepEqual(places(answer).toSorted(), [
      'body assignments 0 value_path',
      'body input_overrides $.a[*]',
      'body response_mocks 0 parameter_conditions 0 eval',
      'body tool_name',
    ])
  })
})
