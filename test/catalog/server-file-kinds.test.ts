/** Server files with prompts, resources and resource templates. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatServerFile, parseServerFile } from '../../src/catalog/server-file.ts'
import { HttpError } from '../../src/protocol/http-error.ts'
import { SERVER_ID } from '../support/catalogs.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

/** What a file is refused for: a line for each wrong field, in the order of the alphabet. */
function wrong(members: object): string[] {
  try {
    parseServerFile({ name: 'One', ...members })
  } catch (error) {
    assert.ok(error instanceof HttpError && error.status === 422)
    const lines = (error.details ?? []).map(({ path, message }) => `${path} ${message}`.trim())
    return lines.toSorted()
  }
  return []
}

const says = (content: object) => ({ messages: [{ role: 'user', content }] })
const withoutBody = { text: undefined }

describe('parseServerFile', () => {
  it('reads items of every kind, each kind in its own order', () => {
    const { items } = parseServerFile(
      serverFile('One', [tool('a')], {
        resourceTemplates: [template('x:{a}')],
        resources: [resource('x:a'), resource('x:b', { sortOrder: 7 })],
        prompts: [prompt('a'), prompt('b', { status: 'paused' })],
      }),
    )
    assert.deepEqual(
      items.map(({ kind, name, sortOrder, status }) => [kind, name, sortOrder, status]),
      [
        ['tools', 'a', 0, 'active'],
        ['prompts', 'a', 0, 'active'],
        ['prompts', 'b', 1, 'paused'],
        ['resources', 'x:a', 0, 'active'],
        ['resources', 'x:b', 7, 'active'],
        ['resourceTemplates', 'x:{a}', 0, 'active'],
      ],
    )
  })

  const good: [string, object][] = [
    ['a prompt without messages', { prompts: [prompt('a', { messages: [] })] }],
    ['a prompt with a name beyond ASCII', { prompts: [prompt('größe und 語')] }],
    [
      'blocks of every type',
      {
        prompts: [
          prompt('a', says({ type: 'image', data: 'AA==', mimeType: 'image/png' })),
          prompt('b', says({ type: 'audio', data: 'AA==', mimeType: 'audio/wav' })),
          prompt('c', says({ type: 'resource', resource: { uri: 'x:', text: '' } })),
          prompt('d', says({ type: 'resource_link', uri: 'x:', name: 'x' })),
        ],
      },
    ],
    ['an empty text', { resources: [resource('x:', { text: '' })] }],
    ['an empty blob', { resources: [resource('x:', { ...withoutBody, blob: '' })] }],
    ['a template without variables', { resourceTemplates: [template('x:y')] }],
    [
      'URIs of many schemes',
      { resources: ['a:', 'urn:x:y', 'https://h/p?q#f'].map((uri) => resource(uri)) },
    ],
    ['empty lists', { prompts: [], resources: [], resourceTemplates: [] }],
  ]
  for (const [what, members] of good) {
    it(`takes ${what}`, () => assert.deepEqual(wrong(members), []))
  }

  const bad: [string, object, string[]][] = [
    ['null for prompts', { prompts: null }, ['prompts must be an array']],
    ['an object for resources', { resources: {} }, ['resources must be an array']],
    [
      'a prompt with nothing in it',
      { prompts: [{}] },
      ['prompts[0].messages is missing', 'prompts[0].name is missing'],
    ],
    [
      'a prompt without a name',
      { prompts: [prompt('')] },
      ['prompts[0].name must be at least 1 characters'],
    ],
    [
      'an argument without a name',
      { prompts: [prompt('a', { arguments: [{ name: 'x' }, { required: true }] })] },
      ['prompts[0].arguments[1].name is missing'],
    ],
    [
      'required as text',
      { prompts: [prompt('a', { arguments: [{ name: 'x', required: 'yes' }] })] },
      ['prompts[0].arguments[0].required must be a boolean'],
    ],
    [
      'a role that is none',
      {
        prompts: [
          prompt('a', { messages: [{ role: 'system', content: { type: 'text', text: '' } }] }),
        ],
      },
      ['prompts[0].messages[0].role must be "user" or "assistant"'],
    ],
    [
      'a block without text',
      { prompts: [prompt('a', says({ type: 'text' }))] },
      ['prompts[0].messages[0].content.text is missing'],
    ],
    [
      'a completion that is a number',
      { prompts: [prompt('a', { completions: { x: ['a', 1] } })] },
      ['prompts[0].completions.x[1] must be a string'],
    ],
    [
      'text that is no URI',
      { resources: [resource('no uri')] },
      ['resources[0].uri must be a URI'],
    ],
    [
      'a size below zero, a number for a name',
      { resources: [resource('x:', { size: -1, name: 1 })] },
      ['resources[0].name must be a string', 'resources[0].size must be at least 0'],
    ],
    [
      'a resource without body',
      { resources: [resource('x:'), resource('x:b', withoutBody)] },
      ['resources[1] needs either text or blob'],
    ],
    [
      'a resource of text and blob',
      { resources: [resource('x:', { blob: 'AAAA' })] },
      ['resources[0] needs either text or blob'],
    ],
    [
      'a template without body',
      { resourceTemplates: [template('x:{a}', withoutBody)] },
      ['resourceTemplates[0] needs either text or blob'],
    ],
    [
      'a template of text and blob',
      { resourceTemplates: [template('x:{a}', { blob: '' })] },
      ['resourceTemplates[0] needs either text or blob'],
    ],
    [
      'a text that is null',
      { resources: [resource('x:', { text: null })] },
      ['resources[0].text must be a string'],
    ],
    [
      'a template of a form we do not know',
      { resourceTemplates: [template('x:{?a}')] },
      [
        'resourceTemplates[0].uriTemplate must be a URI template of {name} and {+name}, each name once, at most 10',
      ],
    ],
    [
      'a prompt, a resource and a template that stand twice',
      {
        tools: [tool('a')],
        prompts: [prompt('a'), prompt('A'), prompt('a')],
        resources: [resource('x:a'), resource('x:a')],
        resourceTemplates: [template('x:a'), template('x:{a}'), template('x:{a}')],
      },
      [
        'prompts[2].name "a" stands twice',
        'resourceTemplates[2].uriTemplate "x:{a}" stands twice',
        'resources[1].uri "x:a" stands twice',
      ],
    ],
    [
      'one wrong field of each kind, at once',
      {
        tools: [tool('a'), tool('b', { title: 1 })],
        prompts: [prompt('a', { title: 1 })],
        resources: [resource('x:a'), resource('x:b', { mimeType: 1 })],
        resourceTemplates: [template('x:a', { icons: [{}] })],
      },
      [
        'prompts[0].title must be a string',
        'resourceTemplates[0].icons[0].src is missing',
        'resources[1].mimeType must be a string',
        'tools[1].title must be a string',
      ],
    ],
  ]
  for (const [what, members, lines] of bad) {
    it(`refuses ${what}, by path`, () => assert.deepEqual(wrong(members), lines))
  }

  it('refuses a blob that is no base64, by path', () => {
    const [line = '', ...more] = wrong({
      resources: [resource('x:', { ...withoutBody, blob: '%' })],
    })
    assert.match(line, /^resources\[0\]\.blob /)
    assert.deepEqual(more, [])
  })

  // 422 names every wrong field at once (design.md §8).
  it('names a missing body beside other wrong fields', () => {
    assert.deepEqual(wrong({ resources: [{ uri: 'x:', name: 1 }] }), [
      'resources[0] needs either text or blob',
      'resources[0].name must be a string',
    ])
  })

  it('refuses more prompts than a server may have', () => {
    const prompts = Array.from({ length: 5001 }, () => 0)
    assert.ok(wrong({ prompts }).includes('prompts must be at most 5000 items'))
  })
})

describe('formatServerFile', () => {
  const roundTrip = (file: object) => {
    const { settings, items } = parseServerFile(file)
    return formatServerFile(SERVER_ID, settings, items)
  }

  it('writes every kind that there is after the tools, MCP’s members first', () => {
    const text = roundTrip(
      serverFile('One', [], {
        resources: [resource('x:a', { mimeType: 'text/plain' })],
        prompts: [prompt('p', { completions: { a: [] }, title: 'P' })],
      }),
    )
    assert.equal(
      text.slice(text.indexOf('"tools"')),
      '"tools":[],"prompts":[{"name":"p","title":"P","status":"active",' +
        '"messages":[{"role":"user","content":{"type":"text","text":"p says"}}],' +
        '"completions":{"a":[]}}],"resources":[{"uri":"x:a","name":"x:a",' +
        '"mimeType":"text/plain","status":"active","text":"at x:a"}]}',
    )
  })

  const files: [string, object][] = [
    ['empty lists', { prompts: [], resources: [], resourceTemplates: [] }],
    [
      'every kind, paused ones and ties in the order',
      {
        prompts: [prompt('b', { sortOrder: 5 }), prompt('a', { sortOrder: 5, status: 'paused' })],
        resources: [resource('x:b', { sortOrder: 2 }), resource('x:a', { sortOrder: 1 })],
        resourceTemplates: [template('x:{+a}'), template('y:{b}', { status: 'paused' })],
      },
    ],
    [
      'texts, blobs, completions and members nobody knows',
      {
        prompts: [
          prompt('語', {
            arguments: [{ name: 'a', later: 1 }],
            completions: { a: ['\u2028', ''] },
            later: null,
          }),
        ],
        resources: [
          resource('x:a', { text: '' }),
          resource('x:b', { ...withoutBody, blob: 'AAAA', annotations: { priority: 1 } }),
        ],
        resourceTemplates: [
          template('x:{a}', { completions: { a: ['1'] }, _meta: { 'x/y': null } }),
        ],
      },
    ],
  ]
  for (const [what, members] of files) {
    it(`writes ${what} so that it reads back the same`, () => {
      const file = JSON.parse(JSON.stringify(serverFile('One', [tool('a')], members)))
      const text = roundTrip(file)
      const { settings, items } = parseServerFile(JSON.parse(text))
      const before = parseServerFile(file)
      assert.deepEqual([settings, items], [before.settings, before.items])
      assert.equal(formatServerFile(SERVER_ID, settings, items), text)
    })
  }
})
