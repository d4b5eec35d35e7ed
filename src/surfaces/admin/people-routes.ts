/** The routes of the admin API about who asks: members, agents, their sessions, and keys. */
import * as keys from './keys.ts'
import { KeyAnswer, KeyBody, NewKeyAnswer } from '../key-forms.ts'
import * as people from './people.ts'
import { inOrganization, listOf, PAGE, type Route } from './route.ts'

export const PEOPLE_ROUTES: readonly Route[] = [
  inOrganization('GET', '/members', people.listPeople('member'), {
    act: 'members.read',
    summary: 'List members',
    query: PAGE,
    answers: { 200: listOf(people.MemberAnswer) },
  }),
  inOrganization('POST', '/members', people.createMember, {
    act: 'members.write',
    summary: 'Make a member',
    body: people.MemberBody,
    answers: { 201: people.MemberAnswer },
  }),
  inOrganization('GET', '/members/:id', people.getPerson('member'), {
    act: 'members.read',
    summary: 'One member',
    answers: { 200: people.MemberAnswer },
  }),
  inOrganization('PATCH', '/members/:id', people.patchMember, {
    act: 'members.write',
    summary: 'Change a member',
    body: people.MemberPatch,
    answers: { 200: people.MemberAnswer },
  }),
  inOrganization('DELETE', '/members/:id', people.deleteMember, {
    act: 'members.write',
    summary: 'Delete a member with its keys',
    answers: { 204: null },
  }),
  inOrganization('POST', '/members/:id/session', people.createMemberSession, {
    act: 'sessions.mint',
    summary: 'A session JWT of a member, good for five minutes',
    body: people.SessionBody.optional(),
    answers: { 201: people.SessionJwtAnswer },
  }),
  inOrganization('GET', '/agents', people.listPeople('agent'), {
    act: 'agents.read',
    summary: 'List agents',
    query: PAGE,
    answers: { 200: listOf(people.AgentAnswer) },
  }),
  inOrganization('POST', '/agents', people.createAgent, {
    act: 'agents.write',
    summary: 'Make an agent',
    body: people.AgentBody,
    answers: { 201: people.AgentAnswer },
  }),
  inOrganization('GET', '/agents/:id', people.getPerson('agent'), {
    act: 'agents.read',
    summary: 'One agent',
    answers: { 200: people.AgentAnswer },
  }),
  inOrganization('PATCH', '/agents/:id', people.patchAgent, {
    act: 'agents.write',
    summary: 'Change an agent',
    body: people.AgentPatch,
    answers: { 200: people.AgentAnswer },
  }),
  inOrganization('DELETE', '/agents/:id', people.deleteAgent, {
    act: 'agents.write',
    summary: 'Delete an agent with its keys',
    answers: { 204: null },
  }),

  inOrganization('GET', '/keys', keys.listKeys, {
    act: 'keys.read.own',
    summary: 'List keys',
    query: {
      ...PAGE,
      server: 'Keys of this server alone',
      principal: 'Keys of this principal alone',
    },
    answers: { 200: listOf(KeyAnswer) },
  }),
  inOrganization('POST', '/keys', keys.createKey, {
    act: 'keys.mint.own',
    summary: 'Make a key of a server, a member or an agent',
    body: KeyBody,
    answers: { 201: NewKeyAnswer },
  }),
  inOrganization('GET', '/keys/:id', keys.getKey, {
    act: 'keys.read.own',
    summary: 'One key',
    answers: { 200: KeyAnswer },
  }),
  inOrganization('DELETE', '/keys/:id', keys.deleteKey, {
    act: 'keys.revoke.own',
    summary: 'Revoke a key',
    answers: { 204: null },
  }),

  inOrganization('POST', '/keys/:id/rotate', keys.rotateKey, {
    act: 'keys.mint.own',
    summary: 'Give a key another secret; the old one is dead',
    answers: { 200: NewKeyAnswer },
  }),
]
