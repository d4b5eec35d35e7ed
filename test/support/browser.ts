/** A browser as far as our pages need one: it keeps cookies by host, and sends forms as it got them. */
import assert from 'node:assert/strict'

export type Seen = {
  status: number
  headers: Headers
  text: string
  /** Where the page is. */
  url: URL
  /** Where the page goes on to by itself, or redirects to. */
  goesTo: string | undefined
}

export type Browser = {
  /** Cookies by host, by name. */
  cookies: Map<string, Map<string, string>>
  /** Opens an address, and follows redirects. */
  open(url: string): Promise<Seen>
  /** The same without following any. */
  look(url: string, init?: RequestInit): Promise<Seen>
  /** Sends the form of a page, with what was typed and the button that was pressed. */
  send(page: Seen, fields: Readonly<Record<string, string>>, headers?: object): Promise<Seen>
  /** Sends it, goes on to where its answer leads, and comes back. */
  through(page: Seen, fields: Readonly<Record<string, string>>): Promise<Seen>
}

/** A browser that was nowhere yet. `hosts` says where a public origin is in truth. */
export function newBrowser(hosts: Readonly<Record<string, string>> = {}): Browser {
  const cookies: Browser['cookies'] = new Map()
  const look: Browser['look'] = async (address, init = {}) => {
    const url = new URL(address)
    const jar = cookies.get(url.host) ?? new Map<string, string>()
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(new URL(url.pathname + url.search, hosts[url.origin] ?? url), {
      redirect: 'manual',
      ...init,
      headers: { ...(cookie !== '' && { cookie }), ...(init.headers as object) },
    })
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split('; ')
      const at = pair.indexOf('=')
      assert.ok(set.startsWith('__Host-'), set)
      for (const needed of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']) {
        assert.ok(attributes.includes(needed), set)
      }
      if (attributes.includes('Max-Age=0')) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    cookies.set(url.host, jar)
    const text = await response.text()
    const refresh = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text)?.[1]
    const goesTo = response.headers.get('location') ?? (refresh && unescaped(refresh))
    return {
      status: response.status,
      headers: response.headers,
      text,
      url,
      goesTo: goesTo ? new URL(goesTo, url).href : undefined,
    }
  }
  const open: Browser['open'] = async (address) => {
    let seen = await look(address)
    for (let hops = 0; hops < 5 && seen.status >= 300 && seen.status < 400; hops++) {
      assert.ok(seen.goesTo, 'a redirect without a way')
      seen = await look(seen.goesTo)
    }
    return seen
  }
  const send: Browser['send'] = (page, fields, headers = {}) => {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1]
    assert.ok(action, `no form: ${page.text}`)
    const hidden = [...page.text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const form = new URLSearchParams()
    for (const [, name = '', value = ''] of hidden) form.set(name, unescaped(value))
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return look(new URL(action, page.url).href, {
      method: 'POST',
      headers: {
        origin: page.url.origin,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: form.toString(),
    })
  }
  return {
    cookies,
    look,
    open,
    send,
    async through(page, fields) {
      const sent = await send(page, fields)
      assert.ok(sent.goesTo, `${sent.status} ${sent.text}`)
      return open(sent.goesTo)
    },
  }
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
