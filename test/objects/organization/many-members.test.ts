import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAccount, deleteAccount } from '../../../src/objects/organization/account-commands.ts'
import { createGrant } from '../../../src/objects/organization/grant-commands.ts'
import { formatPrincipal, writePrincipal } from '../../../src/objects/organization/principals.ts'
import { duePublications } from '../../../src/objects/organization/publications.ts'
import { formatSurface } from '../../../src/objects/organization/surface.ts'
import { SealKeys } from '../../../src/sealing/seal-keys.ts'
import { createGateway, NOTION, NOW } from '../../support/gateway-sql.ts'

const MEMBERS = 10_000
const WRITE = { actor: 'test' }
const KEYS = SealKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`)

/** An organization with so many members, each with an account, and one account that all share. */
function createCrowd(members: number) {
  const gateway = createGateway()
  const { sql, context, account } = gateway
  for (let n = 0; n < members; n++) {
    const id = `mem_${n}`
    const principal = { id, kind: 'member', name: id, permissions: [], settings: {} } as const
    writePrincipal(sql, { ...principal, status: 'active' }, NOW)
    account(`own${n}`, id)
  }
  const shared = account('team', null)
  createGrant(context, { id: 'gra_1', account: shared, to: 'everybody' }, WRITE)
  sql.exec('UPDATE publications SET published = version, announced = version')
  return gateway
}

describe('An organization of ten thousand members', () => {
  const small = createCrowd(2)
  const large = createCrowd(MEMBERS)
  const due = () =>
    duePublications(large.sql, NOW * 2, MEMBERS).map(({ kind, name }) => `${kind} ${name}`)
  const told = () =>
    large.sql.exec('UPDATE publications SET published = version, announced = version')

  it('publishes no value that grows with them', () => {
    const sizes = ({ sql }: typeof small) => [
      formatSurface(sql)?.bytes.length,
      formatPrincipal(sql, 'org_a', 'mem_1').length,
    ]
    assert.deepEqual(sizes(large), sizes(small))
  })

  it('has one thing to put when an account of one of them comes or goes', async () => {
    const account = { id: 'acc_x', server: NOTION, owner: 'mem_77', alias: 'second' }
    const rest = { identity: null, state: 'connected', credential: { token: 't' } } as const
    await createAccount(large.context, KEYS, { ...account, ...rest }, WRITE)
    assert.deepEqual(due(), ['principal mem_77'])
    told()
    deleteAccount(large.context, 'acc_x', WRITE)
    assert.deepEqual(due(), ['principal mem_77'])
    told()
  })

  it('has one thing to put when the account that all share goes', () => {
    deleteAccount(large.context, 'acc_team', WRITE)
    deleteAccount(small.context, 'acc_team', WRITE)
    assert.deepEqual(due(), ['surface org_a'])
    told()
  })
})
