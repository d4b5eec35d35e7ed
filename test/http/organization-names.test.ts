/** An organization that is not made after all: what it had claimed for that is given up. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Organization } from '../../src/objects/organization.ts'
import { directoryOf, type DirectoryBinding } from '../../src/objects/resident.ts'
import { createOrganization, refusal } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { resetObject } from '../support/objects.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { inDatabase } from '../support/storage.ts'

type Bindings = DirectoryBinding & { ORGANIZATION: DurableObjectNamespace<Organization> }

describe('an organization that is not made after all', () => {
  let rollcall: Rollcall
  let env: Bindings
  before(async () => {
    rollcall = await startRollcall()
    env = await rollcall.harness.getWorker<Bindings>().getEnv()
  })
  after(() => rollcall.close())

  const owner = async (name: string) =>
    (await directoryOf(env, 'organization', name).find('organization', name))?.owner
  const untilFree = (name: string) =>
    eventually(
      () => owner(name),
      (held) => held === undefined,
    )

  it('keeps nothing, and leaves the name it wanted to the one who has it', async () => {
    const { id } = await createOrganization(rollcall, 'taken')
    const late = 'org_late'
    const stub = env.ORGANIZATION.getByName(rollcall.objectName(late))
    const outcome = await stub.nameAs(late, 'taken', { actor: 'test' })
    assert.ok('refusal' in outcome && outcome.refusal.code === 'name_taken')
    await untilFree(late)
    assert.equal(await owner('taken'), id)
    assert.equal((await rollcall.admin('GET', '/organizations/taken')).json.id, id)
  })

  it('gives up what it had claimed when it crashed', async () => {
    const id = 'org_crashed'
    const stub = env.ORGANIZATION.getByName(rollcall.objectName(id))
    assert.ok('refusal' in (await stub.describe()))
    // As far as it came: its names are noted, and claimed.
    for (const name of ['crashed', id]) {
      await inDatabase(
        rollcall,
        `INSERT INTO names (kind, name, target, state) VALUES ('organization', '${name}', '${id}', 'pending')`,
        id,
      )
      const claimed = { owner: id, target: id }
      assert.ok(await directoryOf(env, 'organization', name).claim('organization', name, claimed))
    }
    assert.deepEqual(refusal(await rollcall.admin('POST', '/organizations', { name: 'crashed' })), {
      status: 409,
      code: 'name_taken',
    })
    await resetObject(rollcall, 'ORGANIZATION', { name: id })
    assert.deepEqual(await inDatabase(rollcall, 'SELECT * FROM organization', id), []) // it wakes
    for (const name of ['crashed', id]) await untilFree(name)
    await createOrganization(rollcall, 'crashed')
  })

  it('is made anew under its id once it was deleted', async () => {
    const made = await rollcall.admin('GET', '/servers')
    assert.equal(made.status, 200)
    assert.equal((await rollcall.admin('DELETE', '/organizations/default')).status, 204)
    await untilFree('default')
    const again = await eventually(
      () => rollcall.admin('GET', '/servers'),
      ({ status }) => status === 200,
    )
    assert.deepEqual(again.json, { items: [] })
    const { json } = await rollcall.admin('GET', '/organizations/default')
    assert.deepEqual([json.id, json.revision], ['org_default', 1])
  })
})
