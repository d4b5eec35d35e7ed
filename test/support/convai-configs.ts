/** Configurations as a client of convai writes them, at random but the same for the same seed. */

type Random = {
  below: (limit: number) => number
  pick: <T>(values: readonly T[]) => T
  /** Some of the members, each as its maker says. */
  some: (members: Readonly<Record<string, () => unknown>>) => Record<string, unknown>
}

/** Every field with the value it has where a client gives none. */
export const DEFAULTS = {
  description: '',
  transport: 'SSE',
  approval_policy: 'require_approval_all',
  tool_approval_hashes: [],
  secret_token: null,
  request_headers: {},
  request_meta: {},
  auth_connection: null,
  response_timeout_secs: 30,
  disable_compression: false,
  tool_config_overrides: [],
  pre_tool_speech: 'auto',
  interruption_mode: 'allow',
  tool_call_sound: null,
  tool_call_sound_behavior: 'auto',
  execution_mode: 'immediate',
  force_pre_tool_speech: false,
  disable_interruptions: false,
}

/** Every field of what is said of a tool, likewise. */
export const TOOL_DEFAULTS = {
  force_pre_tool_speech: null,
  pre_tool_speech: null,
  disable_interruptions: null,
  interruption_mode: null,
  tool_call_sound: null,
  tool_call_sound_behavior: null,
  execution_mode: null,
  response_timeout_secs: null,
  assignments: [],
  input_overrides: {},
  response_mocks: [],
}

const CONNECTION = `ac_${'0'.repeat(20)}`

/** Numbers as chance would give them (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: (values) => values[below(values.length)]!,
    some: (members) =>
      Object.fromEntries(
        Object.entries(members)
          .filter(() => below(3) > 0)
          .map(([name, make]) => [name, make()]),
      ),
  }
}

const speech = ({ pick }: Random) => ({
  force_pre_tool_speech: () => pick([true, false]),
  pre_tool_speech: () => pick(['auto', 'force', 'off']),
  disable_interruptions: () => pick([true, false]),
  interruption_mode: () => pick(['allow', 'disable_during_tool', 'disable_during_tool_and_turn']),
  tool_call_sound_behavior: () => pick(['auto', 'always']),
  execution_mode: () => pick(['immediate', 'post_tool_speech', 'async']),
})

const locators = [
  { secret_id: 'secret_1' },
  { env_var_label: 'LABEL' },
  { variable_name: 'system__conversation_id' },
]

/** What a client may say of a tool. */
export function randomTool(random: Random, tool_name: string) {
  const { pick, some } = random
  const constants = ['x', 0, 1.5, true, null, [], [1, { a: null }], { b: { c: 'd' } }]
  const input = () =>
    pick<() => object>([
      () => ({ source: 'constant', constant_value: pick(constants) }),
      () => ({ source: 'dynamic_variable', dynamic_variable: 'user_id' }),
      () => ({ source: 'llm', prompt: 'What is it?' }),
      () => ({ source: 'llm' }),
      () => ({ source: 'omit' }),
    ])()
  const evaluation = () =>
    pick([
      { type: 'anything' },
      { type: 'exact', expected_value: 'x' },
      { type: 'llm', description: 'is polite' },
      { type: 'regex', pattern: '^a' },
    ])
  return {
    tool_name,
    ...some({
      ...speech(random),
      tool_call_sound: () => pick(['typing', 'elevator4', 'off']),
      response_timeout_secs: () => 5 + random.below(296),
      assignments: () => [
        {
          source: 'response',
          dynamic_variable: 'name',
          value_path: 'data.0.name',
          sanitize: pick([true, false]),
          preserve_native_type: pick([true, false]),
        },
      ],
      input_overrides: () =>
        some({ '$.a.b': input, c: input, "$['d e']": input, 'f[0]': input, 'g.__proto__': input }),
      response_mocks: () => [
        {
          mock_result: '{}',
          parameter_conditions: [{ path: 'a', eval: evaluation() }],
          is_error: pick([true, false]),
        },
        { mock_result: '', parameter_conditions: [], is_error: false },
      ],
    }),
  }
}

/** What a client may say of a server. */
export function randomConfig(random: Random) {
  const { pick, some } = random
  const tools = ['search', 'a:b', 'constructor', '7', 'größe'].filter(() => random.below(2) > 0)
  return {
    url: pick([
      'https://example.com/mcp',
      'https://{{system__env_host}}.example.com/{{ system__env_path }}',
      { secret_id: 'secret_url' },
    ]),
    name: pick(['Tools', 'Größe 7', 'x'.repeat(200)]),
    ...some({
      ...speech(random),
      description: () => pick(['', 'What it does']),
      transport: () => pick(['SSE', 'STREAMABLE_HTTP']),
      approval_policy: () =>
        pick(['auto_approve_all', 'require_approval_all', 'require_approval_per_tool']),
      tool_approval_hashes: () =>
        ['a', 'b'].map((tool_name) => ({
          tool_name,
          tool_hash: tool_name.repeat(64),
          approval_policy: pick(['auto_approved', 'requires_approval']),
        })),
      secret_token: () => pick([null, { secret_id: 'secret_2' }]),
      request_headers: () =>
        some({
          'X-Plain': () => 'a b',
          'X.Dotted': () => pick(locators),
          Authorization: () => pick(locators),
        }),
      request_meta: () =>
        some({
          'example.com/text': () => '',
          number: () => 1.5,
          flag: () => false,
          kept: () => pick(locators),
        }),
      auth_connection: () =>
        pick([null, { auth_connection_id: CONNECTION }, { env_var_label: 'AUTH' }]),
      response_timeout_secs: () => 5 + random.below(296),
      disable_compression: () => pick([true, false]),
      tool_config_overrides: () => tools.map((name) => randomTool(random, name)),
      tool_call_sound: () => pick([null, 'typing', 'elevator1']),
    }),
  }
}
