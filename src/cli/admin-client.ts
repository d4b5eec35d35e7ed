/** The admin API as the command line speaks it: HTTP, the operator's token, JSON. */

/** An answer of the admin API that is no success. */
export class AdminError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type AdminClient = {
  get(path: string): Promise<unknown>
  put(path: string, body: string): Promise<unknown>
}

/** A client of the deployment at `url`. */
export function createAdminClient(url: string, token: string): AdminClient {
  const ask = async (method: string, path: string, body?: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    if (!response.ok)
      throw new AdminError(response.status, `${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    get: (path) => ask('GET', path),
    put: (path, body) => ask('PUT', path, body),
  }
}
