/** `GET /openapi.json`: OpenAPI 3.1 of the admin API, from the table that routes it. */
import * as z from 'zod'
import { ROLLCALL_VERSION } from '../../protocol/implementation.ts'
import { schemaOf } from '../json-schema.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

const ErrorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }),
})

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read',
  401: 'No credential, or none that is good here',
  403: 'The Origin or Host may not call, or whoever asks may not do this',
  404: 'There is no such thing in this organization',
  405: 'The path has no such method; see Allow',
  409: 'A name, slug or id is taken, or a tool cannot be called',
  412: 'If-Match named another revision than the one that stands',
  413: 'The body, or the server, is too large',
  415: 'The body is not application/json',
  422: 'Fields are wrong; every one is named in details',
  429: 'Too many requests; see Retry-After',
  500: 'Something went wrong here',
  503: 'This cannot be answered just now; see Retry-After',
}

const PARAM = /:(\w+)/g

/** The document; the same bytes for the same version. */
export function openApi(publicUrl: string | undefined): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of ROUTES) {
    const path = `/api/v1${route.path.replaceAll(PARAM, '{$1}')}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Rollcall admin API', version: ROLLCALL_VERSION },
    ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The operator token, a session JWT, or the key of a member',
        },
      },
      schemas: { Error: schemaOf(ErrorAnswer, 'output') },
    },
  }
}

function operation({ method, path, summary, body, query, answers, scope }: Route): object {
  const parameters = [
    ...[...path.matchAll(PARAM)].map(([, name]) => parameter('path', name ?? '', undefined)),
    ...Object.entries(query ?? {}).map(([name, text]) => parameter('query', name, text)),
    ...(scope === 'organization'
      ? [parameter('header', 'Rollcall-Organization', 'Name or id; default: default')]
      : []),
    ...(method !== 'GET' &&
    /^\/(?:servers|members|agents)\/:id/.test(path) &&
    !path.endsWith('/call')
      ? [parameter('header', 'If-Match', 'The revision a change is meant for')]
      : []),
  ]
  return {
    operationId: operationId(method, path),
    summary,
    parameters,
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: jsonContent(schemaOf(body, 'input')),
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [
          status,
          {
            description: 'Success',
            ...(schema && { content: jsonContent(schemaOf(schema, 'output')) }),
          },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [
          status,
          { description, content: jsonContent({ $ref: '#/components/schemas/Error' }) },
        ]),
      ),
    },
  }
}

function operationId(method: string, path: string): string {
  const words = path.split('/').filter((part) => part !== '')
  return [method.toLowerCase(), ...words.map((word) => word.replace(/^:/, 'by_'))].join('_')
}

function parameter(
  where: 'path' | 'query' | 'header',
  name: string,
  description: string | undefined,
) {
  return {
    in: where,
    name,
    required: where === 'path',
    schema: { type: 'string' },
    ...(description !== undefined && { description }),
  }
}

function jsonContent(schema: object): object {
  return { 'application/json': { schema } }
}
