/** Routes of environment variables, secrets and auth connections (`convai-api.md` §1, E14–E19). */
import * as connections from './connections.ts'
import type { Route } from './route.ts'
import * as secrets from './secrets.ts'
import * as variables from './variables.ts'

const VARIABLES = '/v1/convai/environment-variables'
const SECRETS = '/v1/convai/secrets'
const CONNECTIONS = '/v1/workspace/auth-connections'

export const VARIABLE_ROUTES: readonly Route[] = [
  { method: 'GET', path: VARIABLES, act: 'variables.read', handler: variables.listVariables },
  { method: 'POST', path: VARIABLES, act: 'variables.write', handler: variables.createVariable },
  {
    method: 'GET',
    path: `${VARIABLES}/:id`,
    act: 'variables.read',
    handler: variables.getVariable,
  },
  {
    method: 'PATCH',
    path: `${VARIABLES}/:id`,
    act: 'variables.write',
    handler: variables.updateVariable,
  },

  { method: 'GET', path: SECRETS, act: 'secrets.read', handler: secrets.listSecrets },
  { method: 'POST', path: SECRETS, act: 'secrets.write', handler: secrets.createSecret },
  { method: 'GET', path: `${SECRETS}/:id`, act: 'secrets.read', handler: secrets.getSecret },
  { method: 'PATCH', path: `${SECRETS}/:id`, act: 'secrets.write', handler: secrets.updateSecret },
  { method: 'DELETE', path: `${SECRETS}/:id`, act: 'secrets.write', handler: secrets.deleteSecret },
  {
    method: 'GET',
    path: `${SECRETS}/:id/dependencies/:type`,
    act: 'secrets.read',
    handler: secrets.listDependencies,
  },

  {
    method: 'GET',
    path: CONNECTIONS,
    act: 'connections.read',
    handler: connections.listConnections,
  },
  {
    method: 'POST',
    path: CONNECTIONS,
    act: 'connections.write',
    handler: connections.createConnection,
  },
  {
    method: 'PATCH',
    path: `${CONNECTIONS}/:id`,
    act: 'connections.write',
    handler: connections.updateConnection,
  },
  {
    method: 'DELETE',
    path: `${CONNECTIONS}/:id`,
    act: 'connections.write',
    handler: connections.deleteConnection,
  },
]
