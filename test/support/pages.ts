/** The pages for people as a browser without scripts has them: a link, a cookie, a form. */
import type { Answer } from './rollcall.ts'

export type OpenedPage = Omit<Answer, 'json'> & {
  url: string
  /** As a browser sends it back. */
  cookie: string
  /** The hidden fields of the form. */
  fields: Record<string, string>
}

/** Opens a link. */
export async function openPage(url: string, cookie = ''): Promise<OpenedPage> {
  const response = await fetch(url, {
    headers: cookie === '' ? {} : { cookie },
    redirect: 'manual',
  })
  const text = await response.text()
  const set = response.headers.getSetCookie().map((each) => each.split(';')[0] ?? '')
  const hidden = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)
  const fields = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
  const kept = [
    ...new Map([...cookie.split('; '), ...set].map((pair) => [pair.split('=')[0], pair])).values(),
  ]
  return {
    url,
    status: response.status,
    headers: response.headers,
    text,
    cookie: kept.filter((pair) => pair !== '').join('; '),
    fields,
  }
}

/** Sends the form of a page as its browser does, with the fields of a button. */
export async function submitPage(
  { url, cookie, fields }: Pick<OpenedPage, 'url' | 'cookie' | 'fields'>,
  pressed: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const { origin, pathname } = new URL(url)
  const response = await fetch(origin + pathname, {
    method: 'POST',
    headers: {
      origin,
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams({ ...fields, ...pressed }).toString(),
    redirect: 'manual',
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
