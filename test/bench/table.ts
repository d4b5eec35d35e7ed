/** What the bench found, as rows, and the table they are printed in. */

/** `not measurable` is neither pass nor fail: the floors disagreed. */
export type Verdict = 'pass' | 'fail' | 'not measurable' | 'reported'

/** One contender of a list scenario. */
export type ListRow = {
  kind: 'list'
  scenario: string
  contender: string
  ratio: string
  cpuUs: string
  perSecond: string
  p50Ms: string
  p99Ms: string
  bar: string
  verdict: Verdict
}

/** One figure of any other scenario. */
export type FigureRow = {
  kind: 'figure'
  scenario: string
  figure: string
  value: string
  bar: string
  verdict: Verdict
  /** How it was got. */
  how: string
}

export type Row = ListRow | FigureRow

const LIST_HEAD = [
  'scenario',
  'contender',
  'CPU ×',
  'CPU µs',
  'req/s',
  'p50 ms',
  'p99 ms',
  'bar',
  '',
]
const FIGURE_HEAD = ['scenario', 'figure', 'value', 'bar', '', 'how']

/** The rows as text, lists before figures. */
export function formatTable(rows: readonly Row[]): string {
  const lists = rows.flatMap((row) => (row.kind === 'list' ? [listCells(row)] : []))
  const figures = rows.flatMap((row) => (row.kind === 'figure' ? [figureCells(row)] : []))
  return [
    ...(lists.length > 0 ? [formatCells([LIST_HEAD, ...lists])] : []),
    ...(figures.length > 0 ? [formatCells([FIGURE_HEAD, ...figures])] : []),
  ].join('\n\n')
}

function listCells(row: ListRow): string[] {
  const { scenario, contender, ratio, cpuUs, perSecond, p50Ms, p99Ms, bar, verdict } = row
  return [scenario, contender, ratio, cpuUs, perSecond, p50Ms, p99Ms, bar, formatVerdict(verdict)]
}

function figureCells({ scenario, figure, value, bar, verdict, how }: FigureRow): string[] {
  return [scenario, figure, value, bar, formatVerdict(verdict), how]
}

function formatVerdict(verdict: Verdict): string {
  return verdict === 'reported' ? '' : verdict
}

/** Columns as wide as their widest cell; a scenario's name stands in its first row alone. */
function formatCells(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const shown = rows.map((row, index) =>
    row[0] === rows[index - 1]?.[0] ? ['', ...row.slice(1)] : row,
  )
  const lines = shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}
