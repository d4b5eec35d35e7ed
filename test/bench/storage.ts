/** What a session keeps of lists: nothing. Its rows are counted in its database, as it stands on disk. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { withWorker, type Build } from './launch.ts'
import { benchServer, pathOf, putServer, rollcall } from './rollcall.ts'
import { listIn, openSession } from './sessions.ts'
import type { Row } from './table.ts'
import { benchTools } from './tools.ts'

const LISTS = 100

export async function measureStorage(): Promise<Row[]> {
  const server = benchServer(benchTools(50))
  const build = await rollcall()
  const persist = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  try {
    const session = await withWorker(build, { persist }, async ({ url }) => {
      await putServer(url, server)
      return openSession({ url, path: pathOf(server) })
    })
    const rows: number[] = []
    for (const lists of [1, LISTS - 1]) {
      await list(build, persist, pathOf(server), session, lists)
      rows.push(await rowsOf(persist, session))
    }
    const [one = NaN, all = NaN] = rows
    return [
      {
        kind: 'figure',
        scenario: 'session, its storage',
        figure: `rows after ${LISTS} lists`,
        value: String(all),
        bar: `${one}, as after one`,
        verdict: all === one ? 'pass' : 'fail',
        how: 'of all tables, read from the database when the process has ended',
      },
    ]
  } finally {
    await rm(persist, { recursive: true })
  }
}

async function list(
  build: Build,
  persist: string,
  path: string,
  session: string,
  times: number,
): Promise<void> {
  await withWorker(build, { persist }, async ({ url }) => {
    for (let i = 0; i < times; i++) await listIn({ url, path }, session)
  })
}

/** The rows of all tables of a session, those of the platform too: the record stands in one. */
async function rowsOf(persist: string, session: string): Promise<number> {
  const files = await readdir(persist, { recursive: true })
  const file = files.find((name) => name.endsWith(`${session}.sqlite`))
  if (file === undefined) throw new Error(`there is no database of ${session}`)
  const database = new DatabaseSync(join(persist, file))
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.reduce((sum, { name }) => {
      const row = database.prepare(`SELECT COUNT(*) AS count FROM "${String(name)}"`).get()
      return sum + Number(row?.['count'])
    }, 0)
  } finally {
    database.close()
  }
}
