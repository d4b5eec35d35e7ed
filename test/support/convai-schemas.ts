/** The JSON Schemas of `convai-api.md` §10: strict on what is documented, open to more. */
import { Validator, type Schema } from '@cfworker/json-schema'
import assert from 'node:assert/strict'

/** §10, `list-tools-response`. */
export const LIST_TOOLS_RESPONSE: Schema = {
  type: 'object',
  required: ['success', 'tools'],
  properties: {
    success: { type: 'boolean' },
    tools: { type: 'array', items: { $ref: '#/$defs/tool' } },
    tool_approval_statuses: { type: 'array', items: { $ref: '#/$defs/status' } },
    error_message: { type: ['string', 'null'] },
  },
  $defs: {
    tool: {
      type: 'object',
      required: ['name', 'inputSchema'],
      properties: {
        name: { type: 'string', minLength: 1 },
        inputSchema: { type: 'object' },
        title: { type: ['string', 'null'] },
        description: { type: ['string', 'null'] },
        execution: {
          type: ['object', 'null'],
          properties: { taskSupport: { enum: ['forbidden', 'optional', 'required', null] } },
        },
        outputSchema: { type: ['object', 'null'] },
        icons: {
          type: ['array', 'null'],
          items: {
            type: 'object',
            required: ['src'],
            properties: {
              src: { type: 'string' },
              mimeType: { type: ['string', 'null'] },
              sizes: { type: ['array', 'null'], items: { type: 'string' } },
              theme: { enum: ['light', 'dark', null] },
            },
          },
        },
        annotations: {
          type: ['object', 'null'],
          properties: {
            title: { type: ['string', 'null'] },
            readOnlyHint: { type: ['boolean', 'null'] },
            destructiveHint: { type: ['boolean', 'null'] },
            idempotentHint: { type: ['boolean', 'null'] },
            openWorldHint: { type: ['boolean', 'null'] },
          },
        },
        _meta: { type: ['object', 'null'] },
      },
      not: { required: ['input_schema'] },
    },
    status: {
      type: 'object',
      required: ['tool_id', 'state'],
      properties: {
        tool_id: { type: 'string', pattern: '^mcp:[^:]+:.+$' },
        state: { enum: ['up_to_date', 'needs_review', 'not_approved'] },
        approval_policy: { enum: ['auto_approved', 'requires_approval', null] },
        approved_definition: {
          type: ['object', 'null'],
          properties: { description: { type: 'string' }, input_schema: { type: 'object' } },
        },
      },
      allOf: [
        {
          if: { properties: { state: { const: 'not_approved' } } },
          then: {
            properties: { approval_policy: { const: null }, approved_definition: { const: null } },
          },
        },
        {
          if: { properties: { state: { const: 'up_to_date' } } },
          then: { properties: { approved_definition: { const: null } } },
        },
      ],
    },
  },
}

/** §10, `validation-error`. */
export const VALIDATION_ERROR: Schema = {
  type: 'object',
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
      },
    },
  },
}

/** §10, `error`. */
export const ERROR: Schema = {
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'object',
      required: ['type', 'code', 'message'],
      properties: {
        type: { type: 'string' },
        code: { type: 'string' },
        message: { type: 'string' },
        status: { type: 'string' },
        request_id: { type: 'string' },
        param: { type: ['string', 'null'] },
      },
    },
  },
}

/** §10, `mcp-server-response`. */
export const MCP_SERVER_RESPONSE: Schema = {
  type: 'object',
  required: ['id', 'config', 'metadata'],
  properties: {
    id: { type: 'string' },
    config: { $ref: '#/$defs/config' },
    metadata: {
      type: 'object',
      required: ['created_at'],
      properties: { created_at: { type: 'integer' }, owner_user_id: { type: ['string', 'null'] } },
    },
    access_info: {
      type: ['object', 'null'],
      required: ['is_creator', 'creator_name', 'creator_email', 'role'],
      properties: {
        is_creator: { type: 'boolean' },
        creator_name: { type: 'string' },
        creator_email: { type: 'string' },
        role: { enum: ['admin', 'editor', 'commenter', 'viewer'] },
        access_source: {
          enum: ['creator', 'explicit', 'workspace_admin', 'workspace_default', null],
        },
      },
    },
    dependent_agents: { type: ['array', 'null'] },
  },
  $defs: {
    secret: {
      type: 'object',
      required: ['secret_id'],
      properties: { secret_id: { type: 'string' } },
    },
    envVar: {
      type: 'object',
      required: ['env_var_label'],
      properties: { env_var_label: { type: 'string', pattern: '^[A-Za-z0-9_]+$' } },
    },
    dynamic: {
      type: 'object',
      required: ['variable_name'],
      properties: { variable_name: { type: 'string' } },
    },
    config: {
      type: 'object',
      required: ['url', 'name'],
      properties: {
        url: { anyOf: [{ type: 'string', pattern: '^https?://' }, { $ref: '#/$defs/secret' }] },
        name: { type: 'string' },
        description: { type: ['string', 'null'] },
        transport: { enum: ['SSE', 'STREAMABLE_HTTP', null] },
        approval_policy: {
          enum: ['auto_approve_all', 'require_approval_all', 'require_approval_per_tool', null],
        },
        tool_approval_hashes: {
          type: ['array', 'null'],
          items: {
            type: 'object',
            required: ['tool_name', 'tool_hash'],
            properties: {
              tool_name: { type: 'string' },
              tool_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
              approval_policy: { enum: ['auto_approved', 'requires_approval', null] },
            },
          },
        },
        secret_token: { type: ['object', 'null'] },
        request_headers: {
          type: ['object', 'null'],
          additionalProperties: {
            anyOf: [
              { type: 'string' },
              { $ref: '#/$defs/secret' },
              { $ref: '#/$defs/dynamic' },
              { $ref: '#/$defs/envVar' },
            ],
          },
        },
        request_meta: {
          type: ['object', 'null'],
          additionalProperties: {
            anyOf: [
              { type: ['string', 'number', 'boolean'] },
              { $ref: '#/$defs/secret' },
              { $ref: '#/$defs/dynamic' },
              { $ref: '#/$defs/envVar' },
            ],
          },
        },
        auth_connection: {
          anyOf: [
            { type: 'null' },
            { type: 'object', required: ['auth_connection_id'] },
            { $ref: '#/$defs/envVar' },
          ],
        },
        response_timeout_secs: { type: ['integer', 'null'], minimum: 5, maximum: 300 },
        disable_compression: { type: ['boolean', 'null'] },
        tool_config_overrides: { type: ['array', 'null'] },
        execution_mode: { enum: ['immediate', 'post_tool_speech', 'async', null] },
      },
    },
  },
}

/** §10, `add-tool-approval-request`. */
export const ADD_TOOL_APPROVAL_REQUEST: Schema = {
  type: 'object',
  required: ['tool_name', 'tool_description'],
  properties: {
    tool_name: { type: 'string' },
    tool_description: { type: 'string' },
    input_schema: { type: 'object' },
    approval_policy: { enum: ['auto_approved', 'requires_approval'], default: 'requires_approval' },
  },
}

/** §10, `environment-variable`. */
export const ENVIRONMENT_VARIABLE: Schema = {
  type: 'object',
  required: [
    'id',
    'workspace_id',
    'label',
    'type',
    'values',
    'created_at_unix_secs',
    'updated_at_unix_secs',
  ],
  properties: {
    id: { type: 'string' },
    workspace_id: { type: 'string' },
    label: { type: 'string', pattern: '^[A-Za-z0-9_]+$' },
    type: { enum: ['string', 'secret', 'auth_connection'] },
    values: {
      type: 'object',
      required: ['production'],
      propertyNames: { pattern: '^[A-Za-z0-9_-]+$' },
    },
    created_at_unix_secs: { type: 'integer' },
    updated_at_unix_secs: { type: 'integer' },
    created_by_user_id: { type: ['string', 'null'] },
  },
}

/** Fails unless a value is as a schema of §10 says. */
export function assertSchema(schema: Schema, value: unknown): void {
  const { valid, errors } = new Validator(schema, '2020-12', false).validate(value)
  assert.ok(valid, `${JSON.stringify(errors.slice(0, 5))} in ${JSON.stringify(value)}`)
}
