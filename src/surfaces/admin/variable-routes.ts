/** The routes of what remote servers are reached by in each environment: variables, auth connections, secrets. */
import * as connections from './connections.ts'
import { inOrganization, listOf, PAGE, type Route } from './route.ts'
import * as secrets from './secrets.ts'
import * as variables from './variables.ts'

const { ConnectionAnswer } = connections
const { VariableAnswer } = variables

export const VARIABLE_ROUTES: readonly Route[] = [
  inOrganization('GET', '/variables', variables.listVariables, {
    act: 'variables.read',
    summary: 'List variables by label',
    query: { ...PAGE, ...variables.FILTERS },
    answers: { 200: listOf(VariableAnswer) },
  }),
  inOrganization('POST', '/variables', variables.createVariable, {
    act: 'variables.write',
    summary: 'Make a variable: a value for `production`, and others for other environments',
    body: variables.VariableBody,
    answers: { 201: VariableAnswer },
  }),
  inOrganization('GET', '/variables/:id', variables.getVariable, {
    act: 'variables.read',
    summary: 'One variable',
    answers: { 200: VariableAnswer },
  }),
  inOrganization('PATCH', '/variables/:id', variables.patchVariable, {
    act: 'variables.write',
    summary: 'Change values of a variable, environment by environment',
    body: variables.VariablePatch,
    answers: { 200: VariableAnswer },
  }),
  inOrganization('DELETE', '/variables/:id', variables.deleteVariable, {
    act: 'variables.write',
    summary: 'Delete a variable that no remote server uses',
    answers: { 204: null },
  }),

  inOrganization('GET', '/connections', connections.listConnections, {
    act: 'connections.read',
    summary: 'List auth connections; their secrets are never answered',
    query: PAGE,
    answers: { 200: listOf(ConnectionAnswer) },
  }),
  inOrganization('POST', '/connections', connections.createConnection, {
    act: 'connections.write',
    summary: 'Make an auth connection, its secrets sealed',
    body: connections.ConnectionBody,
    answers: { 201: ConnectionAnswer },
  }),
  inOrganization('GET', '/connections/:id', connections.getConnection, {
    act: 'connections.read',
    summary: 'One auth connection',
    answers: { 200: ConnectionAnswer },
  }),
  inOrganization('PATCH', '/connections/:id', connections.patchConnection, {
    act: 'connections.write',
    summary: 'Change an auth connection',
    body: connections.ConnectionPatch,
    answers: { 200: ConnectionAnswer },
  }),
  inOrganization('DELETE', '/connections/:id', connections.deleteConnection, {
    act: 'connections.write',
    summary: 'Delete an auth connection that nothing uses, with its secrets',
    answers: { 204: null },
  }),

  inOrganization('GET', '/secrets', secrets.listSecrets, {
    act: 'secrets.read',
    summary: 'List secrets by name; values are never answered',
    query: PAGE,
    answers: { 200: listOf(secrets.SecretAnswer) },
  }),
  inOrganization('PUT', '/secrets/:name', secrets.putSecret, {
    act: 'secrets.write',
    summary: 'Seal and store a secret',
    body: secrets.SecretBody,
    answers: { 201: null, 204: null },
  }),
  inOrganization('DELETE', '/secrets/:name', secrets.deleteSecret, {
    act: 'secrets.write',
    summary: 'Delete a secret',
    answers: { 204: null },
  }),
]
