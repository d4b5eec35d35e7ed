/**
 * The pages for people in headless Chromium (`npm run pages`), with scripts off, at a desk and on a
 * phone: every step of connecting and of approving, and that nothing is cut off or out of reach. Leaves a
 * screenshot of each to look at. A script beside the HTTP tests of the same pages, since not every machine
 * has a Chromium; CHROMIUM says where it is.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { chromium, type Page } from 'playwright-core'
import { approve } from './approve.ts'
import { connect } from './connect.ts'

const FOLDER = process.argv[2] ?? 'dist/pages'
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const SCREENS = [
  { screen: 'desk', viewport: { width: 1100, height: 800 }, colorScheme: 'light' },
  { screen: 'phone', viewport: { width: 360, height: 640 }, colorScheme: 'dark' },
] as const
const MIN_BUTTON_PX = 44 // what a finger hits

/** A screen that a person looks at. */
export type Screen = {
  page: Page
  /** Checks what is shown now, and keeps a picture of it. */
  seen: (name: string) => Promise<string>
}

await mkdir(FOLDER, { recursive: true })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
let pictures = 0
try {
  for (const { screen, ...options } of SCREENS) {
    for (const walk of [connect, approve]) {
      const context = await browser.newContext({ ...options, javaScriptEnabled: false })
      const page = await context.newPage()
      const seen = async (name: string) => {
        await requireInReach(page, `${screen} ${name}`)
        await page.screenshot({ path: `${FOLDER}/${screen}-${name}.png`, fullPage: true })
        pictures++
        return page.locator('main').innerText()
      }
      await walk({ page, seen })
      await context.close()
    }
  }
} finally {
  await browser.close()
}
console.log(`${pictures} pages are as they should be; look at them in ${FOLDER}`)

/** Nothing is wider than the screen or scrolls in itself, and buttons are large enough. */
async function requireInReach(page: Page, what: string): Promise<void> {
  const width = page.viewportSize()?.width ?? 0
  for (const element of await page.locator('main *').all()) {
    const box = await element.boundingBox()
    if (box === null) continue
    assert.ok(box.x >= 0 && box.x + box.width <= width, `${what}: wider than the screen`)
  }
  for (const button of await page.locator('button').all()) {
    const { height = 0 } = (await button.boundingBox()) ?? {}
    assert.ok(height >= MIN_BUTTON_PX, `${what}: a button of ${height} px`)
  }
  const [pre] = await page.locator('pre').all()
  if (pre === undefined) return
  const overflow = await pre.evaluate((element) => element.scrollHeight - element.clientHeight)
  assert.ok(overflow <= 0, `${what}: ${overflow} px are hidden`)
}
