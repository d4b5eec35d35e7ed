import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { legacy } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { startHttpApi, type HttpApi } from '../support/upstreams/http-api.ts'

const ID = 'a1b2c3d4e5f6a1b2'
const PATH = `/mcp/my-weather-tools/${ID}`
const SAMPLE = join(import.meta.dirname, '../../src/samples/weather.json')

describe('The weather sample', () => {
  let rollcall: Rollcall
  let api: HttpApi
  let sample: string
  before(async () => {
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    api = await startHttpApi()
    sample = await readFile(SAMPLE, 'utf8')
    assert.match(sample, /"https:\/\/wttr\.in\/\{city\}\?format=j1"/)
    await put(`${api.url}/weather/`)
  })
  after(async () => {
    await rollcall.close()
    await api.close()
  })

  /** Applies the sample with wttr.in played at another address. */
  async function put(address: string) {
    const file = sample.replaceAll('https://wttr.in/', address)
    const { status, text } = await rollcall.admin('PUT', `/servers/${ID}`, file)
    assert.ok(status < 300, text)
  }

  const call = async (name: string, args: object) =>
    (await rollcall.post(PATH, legacy('tools/call', { name, arguments: args }))).json.result

  it('keeps the useful fields of the current weather', async () => {
    const { content, isError } = await call('get_weather', { city: 'Köln am Rhein' })
    assert.equal(isError, undefined)
    const weather = JSON.parse(content[0].text)
    assert.equal(weather.temp_C, '18')
    assert.deepEqual(weather.weatherDesc, [{ value: 'Partly cloudy' }])
    assert.equal('weatherIconUrl' in weather, false)
    const { path } = await api.untilRequest(({ path: at }) => at.includes('format=j1'))
    assert.equal(path, `/weather/${encodeURIComponent('Köln am Rhein')}?format=j1`)
  })

  it('keeps the days of the forecast', async () => {
    const { content } = await call('get_forecast', { city: 'Bonn', units: 'imperial' })
    const days = JSON.parse(content[0].text)
    assert.deepEqual(
      days.map(({ date }: { date: string }) => date),
      ['2026-09-01', '2026-09-02', '2026-09-03'],
    )
    assert.equal(days[0].astronomy, undefined)
  })

  it('says clearly that it could not be reached, where there is no internet', async () => {
    await put('http://127.0.0.1:9/')
    const { content, isError } = await call('get_weather', { city: 'Bonn' })
    assert.equal(isError, true)
    assert.equal(content[0].text, 'The API at 127.0.0.1:9 could not be reached, or broke off')
  })
})
