import { Type } from 'typebox';
import {
  AccessGranted,
  AccessQuestion,
  CreatedToken,
  FirstPerson,
  PasswordChange,
  Person,
  PersonChange,
  PersonCreation,
  Session,
  SetUpState,
  SignedInSession,
  SignIn,
  Token,
  TokenCreation,
} from '../resources/access.ts';
import { routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';
import { ofAccess, ofSession } from './shared-access.ts';

const read = { ...ofAccess, method: 'GET', permission: 'people.read' } as const;
const write = { ...ofAccess, permission: 'people.write' } as const;

const setUpPath = '/api/setup';
const sessionPath = '/api/session';
const personPath = '/api/people/{person_id}';

/** People, their sessions, and tokens for programs. */
export const accessRoutes = routes({
  getSetUp: {
    ...ofSession,
    method: 'GET',
    path: setUpPath,
    summary: 'Whether the leader waits for its first person',
    responses: ok(SetUpState),
    errors: [],
  },
  createFirstPerson: {
    ...ofSession,
    method: 'POST',
    path: setUpPath,
    summary: 'Create the first person, an administrator, with the set-up code',
    description:
      'The leader shows the code in its terminal and log. Until the first person exists, callers from other machines may use these routes only (403 setup_needed).',
    body: FirstPerson,
    responses: { 201: { description: 'Created', schema: Person } },
    errors: ['setup_done', 'setup_code_wrong', 'sign_in_delayed', 'password_unsuitable'],
  },
  getSession: {
    ...ofSession,
    method: 'GET',
    path: sessionPath,
    summary: 'Who the caller is and what they may do',
    responses: ok(Session),
    showsSecret: true,
    errors: [],
  },
  checkAccess: {
    ...ofAccess,
    method: 'GET',
    permission: 'health.read',
    path: '/api/access/check',
    summary: 'Whether the caller may use a route',
    description:
      'For processes that answer reads from the same store: the same refusals as those of the route itself (not_signed_in, not_allowed, not_a_member, outside_token_limits).',
    query: AccessQuestion,
    responses: ok(AccessGranted),
    errors: ['operation_unknown'],
  },
  signIn: {
    ...ofSession,
    method: 'POST',
    path: sessionPath,
    summary: 'Sign in with name and password',
    description:
      'Sets the session cookie. After failed attempts with one name or from one address the next one has to wait, longer each time.',
    body: SignIn,
    responses: ok(Session),
    errors: ['sign_in_failed', 'sign_in_delayed'],
  },
  signOut: {
    ...ofSession,
    method: 'DELETE',
    path: sessionPath,
    summary: 'Sign out: end this session',
    responses: acknowledged,
    errors: [],
  },
  changeOwnPassword: {
    ...ofSession,
    method: 'PUT',
    path: '/api/session/password',
    summary: 'Change the own password',
    description: 'Ends all other sessions of this person.',
    body: PasswordChange,
    responses: acknowledged,
    errors: ['person_needed', 'sign_in_failed', 'sign_in_delayed', 'password_unsuitable'],
  },
  listSessions: {
    ...ofSession,
    method: 'GET',
    path: '/api/sessions',
    summary: 'Own sessions; with people.write the sessions of everybody',
    responses: ok(Type.Array(SignedInSession)),
    errors: [],
  },
  endSession: {
    ...ofSession,
    method: 'DELETE',
    path: '/api/sessions/{session_id}',
    summary: 'End a session',
    responses: acknowledged,
    errors: ['person_session_not_found'],
  },
  listTokens: {
    ...ofSession,
    method: 'GET',
    path: '/api/tokens',
    summary: 'Own tokens; with people.write the tokens of everybody',
    responses: ok(Type.Array(Token)),
    errors: [],
  },
  createToken: {
    ...ofSession,
    method: 'POST',
    path: '/api/tokens',
    summary: 'Make a token for a program',
    description:
      'The answer contains the token itself, which the leader does not store. Programs send `Authorization: Bearer …`.',
    body: TokenCreation,
    responses: { 201: { description: 'Created', schema: CreatedToken } },
    errors: ['person_needed', 'person_name_taken', 'token_permission_missing'],
  },
  revokeToken: {
    ...ofSession,
    method: 'DELETE',
    path: '/api/tokens/{token_id}',
    summary: 'Revoke a token at once',
    responses: acknowledged,
    errors: ['token_not_found'],
  },
  listPeople: {
    ...read,
    path: '/api/people',
    summary: 'People and their roles',
    responses: ok(Type.Array(Person)),
    errors: [],
  },
  createPerson: {
    ...write,
    method: 'POST',
    path: '/api/people',
    summary: 'Create a person',
    description: 'The first person is an administrator. From then on every request needs a session or a token.',
    body: PersonCreation,
    responses: { 201: { description: 'Created', schema: Person } },
    errors: ['person_name_taken', 'password_unsuitable', 'first_person_not_administrator'],
  },
  updatePerson: {
    ...write,
    method: 'PATCH',
    path: personPath,
    summary: 'Change a person: name, role, password, or whether they are disabled',
    body: PersonChange,
    responses: ok(Person),
    errors: ['person_not_found', 'password_unsuitable', 'last_administrator', 'nothing_to_change'],
  },
  deletePerson: {
    ...write,
    method: 'DELETE',
    path: personPath,
    summary: 'Delete a person with their sessions and tokens',
    responses: acknowledged,
    errors: ['person_not_found', 'last_administrator'],
  },
});
