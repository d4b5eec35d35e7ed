/**
 * The house: imports go down only, outside modules stand where they are allowed, no cycle, no file
 * over 300 lines, no inner index. A new folder of src is added to this table in the same commit.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'

type Room = { mayImport: readonly string[]; modules: readonly (string | RegExp)[] }

const GROUND = ['protocol', 'sealing', 'memory', 'handlers']
const FIRST = ['catalog', 'callers', 'upstream']
const UP_TO_METHODS = [...GROUND, ...FIRST, 'visibility', 'methods']

const ROOMS: Readonly<Record<string, Room>> = {
  protocol: { mayImport: [], modules: ['zod'] },
  sealing: { mayImport: [], modules: ['zod', 'node:crypto'] },
  memory: { mayImport: ['protocol'], modules: [] },
  handlers: { mayImport: ['protocol'], modules: ['zod'] },
  catalog: { mayImport: GROUND, modules: ['zod'] },
  callers: { mayImport: GROUND, modules: ['zod', 'jose'] },
  upstream: {
    mayImport: GROUND,
    modules: ['zod', 'jose', '@cfworker/json-schema', 'eventsource-parser'],
  },
  visibility: { mayImport: [...GROUND, ...FIRST], modules: [] },
  methods: { mayImport: [...GROUND, ...FIRST, 'visibility'], modules: ['zod'] },
  objects: { mayImport: UP_TO_METHODS, modules: ['cloudflare:workers'] },
  surfaces: { mayImport: [...UP_TO_METHODS, 'objects', 'env.ts'], modules: ['zod', 'itty-router'] },
  cli: { mayImport: [], modules: [/^node:/, 'wrangler'] },
  'env.ts': { mayImport: ['objects', 'callers', 'sealing'], modules: ['zod'] },
  'worker.ts': {
    mayImport: ['surfaces', 'objects', 'env.ts', 'protocol'],
    modules: ['itty-router'],
  },
}

const SRC = join(import.meta.dirname, '../src')
const MAX_LINES = 300

type Import = { from: string; to: string; isType: boolean }

const files = (await readdir(SRC, { recursive: true })).filter((file) => file.endsWith('.ts'))
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await readFile(join(SRC, file), 'utf8')] as const),
  ),
)
const imports = [...texts].flatMap(([file, text]) =>
  [...text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^'"]*?\sfrom\s+)?'([^']+)'/gms)].map(
    ([, type, to]): Import => ({ from: file, to: to ?? '', isType: type !== undefined }),
  ),
)

const roomOf = (file: string): string => file.split('/')[0] ?? ''
const isOurs = ({ to }: Import): boolean => to.startsWith('.')
const target = ({ from, to }: Import): string => relative(SRC, join(SRC, dirname(from), to))

describe('The house', () => {
  it('has every folder and file of src in the table of rooms', () => {
    assert.deepEqual(
      [...new Set(files.map(roomOf))].filter((room) => ROOMS[room] === undefined),
      [],
    )
  })

  it('lets imports go down only', () => {
    const wrong = imports.filter(isOurs).filter((one) => {
      const [from, to] = [roomOf(one.from), roomOf(target(one))]
      return from !== to && ROOMS[from]?.mayImport.includes(to) !== true
    })
    assert.deepEqual(wrong, [])
  })

  it('keeps each surface from importing another', () => {
    const surfaceOf = (file: string) => /^surfaces\/(\w+)\//.exec(file)?.[1]
    const wrong = imports.filter(isOurs).filter((one) => {
      const [from, to] = [surfaceOf(one.from), surfaceOf(target(one))]
      return to !== undefined && roomOf(one.from) === 'surfaces' && from !== to
    })
    assert.deepEqual(wrong, [])
  })

  it('lets surfaces see the environment and the roof the objects as types only, bindings apart', () => {
    const wrong = imports.filter(isOurs).filter((one) => {
      const to = target(one)
      const fromSurface = roomOf(one.from) === 'surfaces' && to === 'env.ts'
      const fromEnv = one.from === 'env.ts' && roomOf(to) === 'objects'
      return (fromSurface || fromEnv) && !one.isType
    })
    assert.deepEqual(wrong, [])
  })

  it('allows outside modules only where the table names them', () => {
    const wrong = imports.filter((one) => {
      if (isOurs(one)) return false
      const allowed = ROOMS[roomOf(one.from)]?.modules ?? []
      return !allowed.some((name) =>
        typeof name === 'string' ? name === one.to : name.test(one.to),
      )
    })
    assert.deepEqual(wrong, [])
  })

  it('names the platform in the object files alone', () => {
    const users = imports.filter(({ to }) => to === 'cloudflare:workers').map(({ from }) => from)
    assert.deepEqual(
      users.filter((file) => !/^objects\/[\w-]+\.ts$/.test(file)),
      [],
    )
  })

  it('asks for objects in one file alone, where their jurisdiction and their names are', () => {
    // Ways to an object, and a binding that is used as more than the name of a type's member.
    const asks =
      /\b(?:getByName|newUniqueId|idFromString|idFromName|jurisdiction)\(|\b(?:ORGANIZATION|DIRECTORY|SESSION|CHANNEL|UPSTREAM)\b/
    const users = [...texts].filter(([file, text]) => {
      const code = text.replaceAll(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, '')
      return roomOf(file) !== 'cli' && asks.test(code)
    })
    assert.deepEqual(
      users.map(([file]) => file),
      ['objects/resident.ts'],
    )
  })

  it('has no cycle', () => {
    const below = new Map<string, string[]>()
    for (const one of imports.filter((each) => isOurs(each) && !each.isType)) {
      below.set(one.from, [...(below.get(one.from) ?? []), target(one)])
    }
    const done = new Set<string>()
    const walk = (file: string, path: readonly string[]): void => {
      assert.ok(!path.includes(file), `cycle: ${[...path, file].join(' -> ')}`)
      if (done.has(file)) return
      for (const next of below.get(file) ?? []) walk(next, [...path, file])
      done.add(file)
    }
    for (const file of files) walk(file, [])
  })

  it('has small rooms: no file over 300 lines, no inner index, a header in each', () => {
    const long = [...texts].filter(([, text]) => text.split('\n').length > MAX_LINES + 1)
    assert.deepEqual(
      long.map(([file]) => file),
      [],
    )
    assert.deepEqual(
      files.filter((file) => file.endsWith('/index.ts')),
      [],
    )
    assert.deepEqual(
      [...texts].filter(([, text]) => !text.startsWith('/**')).map(([file]) => file),
      [],
    )
  })

  it('imports with the ending of the file', () => {
    assert.deepEqual(
      imports.filter((one) => isOurs(one) && !/\.(?:ts|json)$/.test(one.to)),
      [],
    )
  })
})
