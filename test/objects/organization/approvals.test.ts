import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DriftAnswer } from '../../../src/catalog/drift.ts'
import { ServerSettings, type ApprovalPolicy } from '../../../src/catalog/server.ts'
import { Snapshot } from '../../../src/catalog/upstream.ts'
import * as commands from '../../../src/objects/organization/approval-commands.ts'
import { readAudit } from '../../../src/objects/organization/audit.ts'
import { deleteServer } from '../../../src/objects/organization/server-commands.ts'
import { writeServer, type NextServer } from '../../../src/objects/organization/servers.ts'
import { listTools } from '../../../src/objects/organization/tool-commands.ts'
import { applySnapshot } from '../../../src/objects/organization/upstream-commands.ts'
import { approved } from '../../support/approvals.ts'
import { createGateway, MEMORY, NOW } from '../../support/gateway-sql.ts'
import { REMOTE_URL, remoteTool, snapshot } from '../../support/remotes.ts'

const ID = '00000000000000dd'
const WRITE = { actor: 'mem_a' }
const A = remoteTool('a', { annotations: { readOnlyHint: true } })
const B = remoteTool('b')
const START = { sortOrder: -1, created: 0 }

function setUp(
  tools: readonly object[] | null = [A, B],
  approvalPolicy: ApprovalPolicy = 'require_approval_per_tool',
  next: Partial<NextServer> = {},
) {
  const { context, sql } = createGateway()
  const create = (id: string, more: Partial<NextServer> = {}) => {
    const settings = ServerSettings.parse({
      name: id,
      slug: id,
      kind: 'remote',
      remote: { url: REMOTE_URL },
      approvalPolicy,
    })
    const act = { actor: 'mem_a', act: 'servers.create', target: id }
    return writeServer(sql, id, { settings, ...more }, act, NOW)
  }
  create(ID, next)
  let at = NOW
  const read = (...lists: readonly object[]) =>
    applySnapshot(context, ID, Snapshot.parse(snapshot(lists, { at: (at += 1) }))).revision
  if (tools !== null) read(...tools)
  return {
    context,
    sql,
    read,
    create,
    listed: (id = ID) => listTools(context, id, START, 100).tools.map((text) => JSON.parse(text)),
    names: () => listTools(context, ID, START, 100).tools.map((text) => JSON.parse(text).name),
    approve: (...names: string[]) =>
      commands.approveLive(context, ID, { tools: names.map((name) => ({ name })) }, WRITE),
    put: (tool: { name: string; description: string; inputSchema: object }) =>
      commands.approveTool(
        context,
        ID,
        {
          tool: tool.name,
          description: tool.description,
          inputSchema: tool.inputSchema,
          policy: 'auto_approved',
        },
        WRITE,
      ),
    stored: (id = ID) => commands.approvals(context, id),
    drift: () => JSON.parse(commands.drift(context, ID).drift) as DriftAnswer,
    audit: (act: string) => readAudit(sql, Infinity, 100).filter((entry) => entry.act === act),
  }
}

describe('approving what is offered', () => {
  it('lists the tools that were chosen, which ask where nothing else is said', () => {
    const { approve, listed, names, stored, audit } = setUp()
    assert.deepEqual(names(), [])
    const { revision } = approve('a')
    assert.equal(revision, 3) // made, read, approved
    assert.partialDeepStrictEqual(listed(), [{ ...A, asks: true }])
    assert.deepEqual(stored(), [approved(A, { policy: 'requires_approval' })])
    assert.partialDeepStrictEqual(audit('approvals.put'), [{ actor: 'mem_a', target: ID }])
    assert.deepEqual(JSON.parse(audit('approvals.put')[0]?.detail ?? ''), {
      tools: ['a'],
      count: 1,
      revision,
    })
  })

  it('keeps the policy that a tool was approved with', () => {
    const { approve, put, read, stored } = setUp()
    put(A)
    read({ ...A, description: 'New' })
    approve('a')
    assert.deepEqual(stored()[0], approved({ ...A, description: 'New' }))
  })

  it('is refused at another revision, of tools that are not there, and of a server that is not remote', () => {
    const { context, approve, stored } = setUp()
    const tools = [{ name: 'a' }]
    const late = { ...WRITE, expected: 1 }
    assert.throws(() => commands.approveLive(context, ID, { tools }, late), { status: 412 })
    assert.throws(() => approve('a', 'gone'), {
      status: 422,
      details: [{ path: 'tools[1].name', message: 'is not offered' }],
    })
    assert.deepEqual(stored(), [])
    assert.throws(() => commands.approveLive(context, MEMORY, { tools }, WRITE), {
      status: 409,
      code: 'not_remote',
    })
    assert.throws(() => commands.drift(context, 'ffffffffffffffff'), { status: 404 })
  })

  it('is kept where it changes nothing that is listed, with its row in the log', () => {
    const { approve, stored, audit } = setUp([A], 'auto_approve_all')
    assert.equal(approve('a').revision, 2)
    assert.equal(stored().length, 1)
    assert.equal(audit('approvals.put').length, 1)
  })
})

describe('approving a definition that is given', () => {
  it('stores the whole of what is offered where that is it', () => {
    const { put, stored, listed } = setUp()
    put({ ...A })
    assert.deepEqual(stored(), [approved(A)])
    assert.partialDeepStrictEqual(listed(), [{ annotations: A['annotations' as never] }])
  })

  it('stores the part that is given where it is not, and the whole once that is offered', () => {
    const { put, stored, listed, read } = setUp([{ ...A, description: 'Other' }])
    put(A)
    const { name, description, inputSchema } = A
    const part = { name, description, inputSchema }
    assert.deepEqual(stored(), [
      { ...approved(A), definition: JSON.stringify(part), wholeHash: null },
    ])
    assert.equal(listed()[0].description, A.description)
    read(A)
    assert.deepEqual(stored(), [approved(A)])
  })

  it('is refused where it is too deep or too large', () => {
    const { put } = setUp()
    const deep = JSON.parse('{"a":'.repeat(70) + '1' + '}'.repeat(70)) as object
    assert.throws(() => put({ ...A, inputSchema: deep }), { status: 422 })
    assert.throws(() => put({ ...A, description: 'x'.repeat(1024 * 1024) }), { status: 422 })
  })

  it('is refused where there are too many', () => {
    const { put } = setUp()
    const description = 'x'.repeat(1_000_000)
    assert.throws(
      () => {
        for (let n = 0; n < 20; n++) put({ ...A, name: `t${n}`, description })
      },
      { status: 413, code: 'too_many_approvals' },
    )
  })
})

describe('approvals by hash alone', () => {
  const approval = approved(A)
  const by = (hash: string) => ({
    approvalHashes: [{ tool: 'a', hash, policy: 'auto_approved' as const }],
  })

  it('are made with the server, and completed by the first reading that matches', () => {
    const { read, stored, names } = setUp(null, undefined, by(approval.hash))
    assert.deepEqual(stored(), [{ ...approval, definition: null, wholeHash: null }])
    read(A, B)
    assert.deepEqual(stored(), [approval])
    assert.deepEqual(names(), ['a'])
  })

  it('list nothing while no reading matches', () => {
    const { names, drift } = setUp([A], undefined, by('0'.repeat(64)))
    assert.deepEqual(names(), [])
    assert.partialDeepStrictEqual(drift().tools, [{ name: 'a', state: 'needs_review' }])
  })
})

describe('approvals', () => {
  it('stay while a tool is gone, go when they are withdrawn, and then are not found', () => {
    const { context, approve, read, names, stored } = setUp()
    approve('a', 'b')
    read(B)
    assert.deepEqual(names(), ['b'])
    read(A, B)
    assert.deepEqual(names(), ['a', 'b'])
    commands.withdrawApproval(context, ID, 'a', WRITE)
    assert.deepEqual(names(), ['b'])
    assert.equal(stored().length, 1)
    assert.throws(() => commands.withdrawApproval(context, ID, 'a', WRITE), {
      status: 404,
      code: 'approval_not_found',
    })
  })

  it('are copied with their server, and go with it', () => {
    const { context, approve, create, sql, stored, listed } = setUp()
    approve('a')
    create('00000000000000ee', { copyOf: ID })
    assert.deepEqual(stored('00000000000000ee'), stored())
    assert.deepEqual(listed('00000000000000ee'), listed())
    deleteServer(context, ID, WRITE)
    const rows = sql.exec('SELECT server FROM approvals').toArray()
    assert.deepEqual(
      rows.map((row) => row['server']),
      ['00000000000000ee'],
    )
  })

  it('have their states told by name', () => {
    const { context, approve, read } = setUp()
    approve('a')
    read({ ...A, description: 'New' }, B)
    assert.deepEqual(commands.toolStates(context, ID, ['b', 'gone', 'a']), [
      { tool: 'b', state: 'not_approved', policy: null },
      { tool: 'a', state: 'needs_review', policy: 'requires_approval' },
    ])
  })
})

describe('a reading that finds drift', () => {
  const flipped = { ...A, annotations: { readOnlyHint: false } }

  it('moves the revision, though what is listed is what was approved', () => {
    const { approve, read, listed, drift } = setUp()
    const { revision } = approve('a')
    const before = listed()
    assert.equal(read(flipped, B), revision + 1)
    assert.deepEqual(listed(), before)
    assert.equal(drift().revision, revision + 1)
    assert.equal(read(flipped, B), revision + 1)
  })

  it('is in the log, each drift once', () => {
    const { approve, read, audit } = setUp()
    approve('a', 'b')
    const details = () => audit('upstream.drift').map(({ detail }) => JSON.parse(detail))
    read(A, B, remoteTool('new'))
    assert.deepEqual(details(), [])
    read(flipped, B)
    read(flipped, B, remoteTool('new'))
    assert.deepEqual(details(), [{ tools: ['a'], count: 1 }])
    read(flipped)
    assert.deepEqual(details()[0], { tools: ['b'], count: 1 })
    read({ ...flipped, title: 'More' })
    assert.deepEqual(details()[0], { tools: ['a'], count: 1 })
    read(A, B)
    assert.equal(details().length, 3)
    assert.equal(audit('upstream.drift')[0]?.actor, 'upstream')
  })
})
