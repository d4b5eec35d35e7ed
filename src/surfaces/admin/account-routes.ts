/** The routes of what there is for whom: settings, accounts, grants, environments. */
import { EnvironmentAnswer, EnvironmentBody, EnvironmentEntries } from '../environment-forms.ts'
import * as accounts from './accounts.ts'
import * as connects from './connects.ts'
import * as environments from './environments.ts'
import * as grants from './grants.ts'
import { inOrganization, listOf, PAGE, type Route } from './route.ts'
import * as settings from './settings.ts'

const { AccountAnswer } = accounts
const { GrantAnswer } = grants

export const ACCOUNT_ROUTES: readonly Route[] = [
  inOrganization('GET', '/settings', settings.getSettings, {
    act: 'settings.read',
    summary: 'What is switched on and off in the organization',
    answers: { 200: settings.SettingsAnswer },
  }),
  inOrganization('PATCH', '/settings', settings.patchSettings, {
    act: 'settings.write',
    summary: 'Switch features and capabilities; null puts a capability on again',
    body: settings.OrganizationSettingsPatch,
    answers: { 200: settings.SettingsAnswer },
  }),

  inOrganization('GET', '/accounts', accounts.listAccounts, {
    act: 'accounts.read',
    summary: 'List accounts; credentials are never answered',
    query: { ...PAGE, ...accounts.FILTERS },
    answers: { 200: listOf(AccountAnswer) },
  }),
  inOrganization('POST', '/accounts', accounts.createAccount, {
    act: 'accounts.write.own',
    summary: 'Store an account on a server that needs them',
    body: accounts.AccountBody,
    answers: { 201: AccountAnswer },
  }),
  inOrganization('POST', '/accounts/connect', connects.createConnect, {
    act: 'accounts.write.own',
    summary: 'Make a link by which a person connects an account, or connects it again',
    body: connects.ConnectBody,
    answers: { 201: connects.ConnectLinkAnswer },
  }),
  inOrganization('GET', '/accounts/connect/:id', connects.getConnect, {
    act: 'accounts.read',
    summary: 'How such a link went',
    answers: { 200: connects.ConnectAnswer },
  }),
  inOrganization('GET', '/accounts/:id', accounts.getAccount, {
    act: 'accounts.read',
    summary: 'One account',
    answers: { 200: AccountAnswer },
  }),
  inOrganization('PATCH', '/accounts/:id', accounts.patchAccount, {
    act: 'accounts.write.own',
    summary: 'Change an account; a new credential connects it again',
    body: accounts.AccountPatch,
    answers: { 200: AccountAnswer },
  }),
  inOrganization('DELETE', '/accounts/:id', accounts.deleteAccount, {
    act: 'accounts.write.own',
    summary: 'Delete an account, its grants and its entries in environments',
    answers: { 204: null },
  }),

  inOrganization('GET', '/grants', grants.listGrants, {
    act: 'accounts.read',
    summary: 'List grants',
    query: { ...PAGE, account: 'Grants of this account alone' },
    answers: { 200: listOf(GrantAnswer) },
  }),
  inOrganization('POST', '/grants', grants.createGrant, {
    act: 'grants.write.own',
    summary: 'Share an account with a member, an agent or everybody, for all tools or some',
    body: grants.GrantBody,
    answers: { 201: GrantAnswer },
  }),
  inOrganization('GET', '/grants/:id', grants.getGrant, {
    act: 'accounts.read',
    summary: 'One grant',
    answers: { 200: GrantAnswer },
  }),
  inOrganization('DELETE', '/grants/:id', grants.deleteGrant, {
    act: 'grants.write.own',
    summary: 'Take back that an account is shared',
    answers: { 204: null },
  }),

  inOrganization('GET', '/environments', environments.listEnvironments, {
    act: 'environments.read',
    summary: 'List environments',
    query: PAGE,
    answers: { 200: listOf(EnvironmentAnswer) },
  }),
  inOrganization('POST', '/environments', environments.createEnvironment, {
    act: 'environments.write',
    summary: 'Make an environment: the connectors and remote servers it has, by entries',
    body: EnvironmentBody,
    answers: { 201: EnvironmentAnswer },
  }),
  inOrganization('GET', '/environments/:name', environments.getEnvironment, {
    act: 'environments.read',
    summary: 'One environment',
    answers: { 200: EnvironmentAnswer },
  }),
  inOrganization('PUT', '/environments/:name', environments.putEnvironment, {
    act: 'environments.write',
    summary: 'Make an environment, or replace what it has',
    body: EnvironmentEntries,
    answers: { 200: EnvironmentAnswer, 201: EnvironmentAnswer },
  }),
  inOrganization('DELETE', '/environments/:name', environments.deleteEnvironment, {
    act: 'environments.write',
    summary: 'Delete an environment; keys bound to it open nothing from then on',
    answers: { 204: null },
  }),
]
