/** E8 and E9, and the states that follow for the tools of now (`convai-api.md` §2, §4, §11). */
import { ElevenLabs } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { ADD_TOOL_APPROVAL_REQUEST, assertSchema } from '../support/convai-schemas.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { startFar, type Far } from '../support/upstreams/far.ts'

const SCHEMA = { type: 'object', properties: { x: { type: 'string' }, y: { type: 'number' } } }
const A = { name: 'a', description: 'Does a', inputSchema: SCHEMA }
const PER_TOOL = 'require_approval_per_tool'
const BY_PERSON = { toolDescription: A.description, inputSchema: SCHEMA }

describe('The approval of a tool', () => {
  let relay: Relay
  let convai: Convai
  let far: Far
  before(async () => {
    relay = await startRelay()
    convai = convaiOf(relay.rollcall, (await memberKey(relay.rollcall)).secret)
  })
  beforeEach(async () => {
    far = await startFar([A])
  })
  afterEach(() => far.close())
  after(() => relay.close())

  const servers = () => convai.sdk.conversationalAi.mcpServers
  const configure = async (config: object = {}): Promise<string> => {
    const { id } = await servers().create({
      config: { url: `${far.url}/mcp`, name: 'Far', approvalPolicy: PER_TOOL, ...config },
    })
    return id
  }
  const approve = (id: string, request: object = {}) =>
    servers().toolApprovals.create(id, { toolName: 'a', ...BY_PERSON, ...request })
  const statusesOf = async (id: string) => {
    const { status, json, text } = await convai.ask('GET', `/v1/convai/mcp-servers/${id}/tools`)
    assert.ok(status === 200 && json.success, text)
    return json.tool_approval_statuses
  }
  const upToDate = (id: string, approval_policy = 'requires_approval') => [
    { tool_id: `mcp:${id}:a`, state: 'up_to_date', approval_policy },
  ]
  const needsReview = (id: string, rest: object = {}) => [
    {
      tool_id: `mcp:${id}:a`,
      state: 'needs_review',
      approval_policy: 'auto_approved',
      approved_definition: { description: A.description, input_schema: SCHEMA },
      ...rest,
    },
  ]

  for (const approvalPolicy of ['auto_approve_all', 'require_approval_all']) {
    it(`gives no state under ${approvalPolicy}, though it is stored`, async () => {
      const id = await configure({ approvalPolicy })
      const { config } = await approve(id)
      assert.equal(config.toolApprovalHashes?.length, 1)
      assert.deepEqual(await statusesOf(id), [])
    })
  }

  it('is not there before a person gives it', async () => {
    const id = await configure()
    assert.deepEqual(await statusesOf(id), [{ tool_id: `mcp:${id}:a`, state: 'not_approved' }])
    const { toolApprovalStatuses } = await servers().tools.list(id, {})
    assert.equal(toolApprovalStatuses?.[0]?.state, 'not_approved')
  })

  it('is up to date while the tool is as it was approved', async () => {
    const id = await configure()
    const { config } = await approve(id, { approvalPolicy: 'auto_approved' })
    const [hash] = config.toolApprovalHashes ?? []
    assert.deepEqual([hash?.toolName, hash?.approvalPolicy], ['a', 'auto_approved'])
    assert.match(hash?.toolHash ?? '', /^[0-9a-f]{64}$/)
    assert.deepEqual(await statusesOf(id), upToDate(id, 'auto_approved'))
  })

  it('asks for each call unless it says otherwise, and a second one replaces the first', async () => {
    const id = await configure()
    const body = { tool_name: 'a', tool_description: A.description, input_schema: SCHEMA }
    assertSchema(ADD_TOOL_APPROVAL_REQUEST, body)
    const path = `/v1/convai/mcp-servers/${id}/tool-approvals`
    assert.equal((await convai.ask('POST', path, body)).status, 200)
    assert.deepEqual(await statusesOf(id), upToDate(id))
    const { config } = await approve(id, { approvalPolicy: 'auto_approved' })
    assert.equal(config.toolApprovalHashes?.length, 1)
    assert.deepEqual(await statusesOf(id), upToDate(id, 'auto_approved'))
  })

  it('asks for review with the old text when the description changes', async () => {
    const id = await configure()
    await approve(id, { approvalPolicy: 'auto_approved' })
    far.tools = [{ ...A, description: 'Does b' }]
    assert.deepEqual(await statusesOf(id), needsReview(id))
    const { toolApprovalStatuses } = await servers().tools.list(id, {})
    const [status] = toolApprovalStatuses ?? []
    assert.equal(status?.approvedDefinition?.description, A.description)
    assert.deepEqual(status?.approvedDefinition?.inputSchema, SCHEMA)
  })

  it('stays up to date when the keys of the schema come in another order', async () => {
    const id = await configure()
    await approve(id)
    const { x, y } = SCHEMA.properties
    far.tools = [{ ...A, inputSchema: { properties: { y, x }, type: 'object' } }]
    assert.deepEqual(await statusesOf(id), upToDate(id))
  })

  it('asks for review with the old schema when a property becomes required', async () => {
    const id = await configure()
    await approve(id, { approvalPolicy: 'auto_approved' })
    far.tools = [{ ...A, inputSchema: { ...SCHEMA, required: ['x'] } }]
    assert.deepEqual(await statusesOf(id), needsReview(id))
  })

  it('stays up to date when title, annotations or output schema change alone', async () => {
    const id = await configure()
    await approve(id)
    const more = { title: 'A', annotations: { readOnlyHint: false }, outputSchema: SCHEMA }
    far.tools = [{ ...A, ...more }]
    assert.deepEqual(await statusesOf(id), upToDate(id))
  })

  it('asks for review without a definition where only another hash is known', async () => {
    const hash = { toolName: 'a', toolHash: '0'.repeat(64), approvalPolicy: 'auto_approved' }
    const id = await configure({ toolApprovalHashes: [hash] })
    const { approved_definition: _, ...expected } = needsReview(id)[0] ?? {}
    assert.deepEqual(await statusesOf(id), [expected])
  })

  it('gives no entry for a tool that is gone, and is there when it comes back', async () => {
    const id = await configure()
    await approve(id)
    far.tools = []
    assert.deepEqual(await statusesOf(id), [])
    far.tools = [A]
    assert.deepEqual(await statusesOf(id), upToDate(id))
  })

  it('is of a tool with a colon, a slash or a blank in its name as of any', async () => {
    const id = await configure()
    for (const name of ['a:b', 'a/b', 'a b', 'ä']) {
      far.tools = [{ ...A, name }]
      await approve(id, { toolName: name })
      assert.deepEqual(await statusesOf(id), [
        {
          tool_id: `mcp:${id}:${name}`,
          state: 'up_to_date',
          approval_policy: 'requires_approval',
        },
      ])
      const { config } = await servers().toolApprovals.delete(id, name)
      assert.deepEqual(config.toolApprovalHashes, [])
      const [{ state }] = await statusesOf(id)
      assert.equal(state, 'not_approved')
    }
  })

  it('is of a tool without a description by an empty one', async () => {
    const id = await configure()
    far.tools = [{ name: 'a', inputSchema: SCHEMA }]
    await approve(id, { toolDescription: '' })
    assert.deepEqual(await statusesOf(id), upToDate(id))
  })

  it('cannot be taken away where there is none', async () => {
    const id = await configure()
    await assert.rejects(servers().toolApprovals.delete(id, 'a'), { statusCode: 404 })
  })

  it('tells every wrong field at once', async () => {
    const id = await configure()
    const wrong = { tool_name: '', tool_description: 1, input_schema: [], approval_policy: 'maybe' }
    const { json } = await convai.ask('POST', `/v1/convai/mcp-servers/${id}/tool-approvals`, wrong)
    type Wrong = { type: string; loc: (string | number)[] }
    assert.deepEqual(
      json.detail.map(({ type, loc }: Wrong) => [type, loc.join('.')]),
      [
        ['string_too_short', 'body.tool_name'],
        ['string_type', 'body.tool_description'],
        ['dict_type', 'body.input_schema'],
        ['enum', 'body.approval_policy'],
      ],
    )
    // An ill-formed name would be stored as another tool's.
    for (const toolName of ['', '\ud800']) {
      await assert.rejects(approve(id, { toolName }), ElevenLabs.UnprocessableEntityError)
    }
  })

  it('is refused with 422 whatever its body is instead', async () => {
    const path = '/v1/convai/mcp-servers/mcps_0/tool-approvals'
    const BODIES: [body: string | undefined, type: string, ...loc: string[]][] = [
      [undefined, 'missing', 'body'],
      ['{"a":', 'json_invalid', 'body'],
      ['[]', 'dict_type', 'body'],
      ['{"tool_name":"a"}', 'missing', 'body', 'tool_description'],
    ]
    for (const [body, type, ...loc] of BODIES) {
      const answer = await convai.ask('POST', path, body)
      assert.equal(answer.status, 422)
      const [first] = answer.json.detail
      assert.deepEqual([first.type, first.loc], [type, loc])
    }
  })

  it('is for members with the permission, and for none of another organization', async () => {
    const id = await configure()
    const plain = await memberKey(relay.rollcall, { role: 'member' })
    await createOrganization(relay.rollcall, 'elsewhere')
    const stranger = await memberKey(relay.rollcall, {}, inOrganization('elsewhere'))
    const body = { tool_name: 'a', tool_description: '' }
    const path = `/v1/convai/mcp-servers/${id}/tool-approvals`
    const refused = await convaiOf(relay.rollcall, plain.secret).ask('POST', path, body)
    assert.equal(refused.status, 401)
    const { type, code, status } = refused.json.detail
    assert.deepEqual(
      [type, code, status],
      ['authentication_error', 'unauthorized', 'missing_permissions'],
    )
    const unknown = await convaiOf(relay.rollcall, stranger.secret).ask('POST', path, body)
    assert.deepEqual([unknown.status, unknown.json.detail.code], [404, 'mcp_server_not_found'])
    const [{ state }] = await statusesOf(id)
    assert.equal(state, 'not_approved')
  })

  it('takes back no configuration for a tool whose name clients fold away', async () => {
    const id = await configure()
    await approve(id, { toolName: '..' })
    await assert.rejects(servers().toolApprovals.delete(id, '..'), { statusCode: 404 })
    const timeout = { responseTimeoutSecs: 9 }
    await assert.rejects(servers().toolConfigs.update(id, '..', timeout), { statusCode: 404 })
    const { json } = await relay.rollcall.admin('GET', '/servers?limit=1000')
    const server = json.items.find((item: { configuration?: string }) => item.configuration === id)
    for (const path of [`/servers/${server.id}/approvals/..`, `/servers/${server.id}/tools/..`]) {
      assert.equal((await relay.rollcall.admin('DELETE', path)).status, 404)
    }
    assert.equal((await servers().get(id)).config.responseTimeoutSecs, 30)
  })
})
