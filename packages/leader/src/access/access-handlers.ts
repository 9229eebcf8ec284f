import {
  ApiError,
  type accessRoutes,
  type Caller,
  type Handler,
  type Handlers,
  leaderApi,
  type Person,
  type RouteDeclaration,
  type Token,
} from '@lcs/contract';
import { authorize, toTimestamp } from '@lcs/platform';
import type { AccessControl } from './access-control.ts';
import type { PersonRecord, TokenRecord } from './access-records.ts';
import type { ExperimentScopes } from './experiment-scopes.ts';
import {
  expectPerson,
  managedBy,
  momentOf,
  originOf,
  sessionAnswer,
  success,
  textOf,
  toSession,
} from './session-answers.ts';
import { expiryOf } from './session-expiry.ts';
import type { SetUp } from './set-up.ts';

const toPerson = ({
  id,
  name,
  displayName,
  role,
  disabledAt,
  createdAt,
  lastSeenAt,
  pinHash,
}: PersonRecord): Person => ({
  person_id: id,
  name,
  display_name: displayName,
  role,
  is_disabled: disabledAt !== null,
  created_at: toTimestamp(createdAt),
  last_seen_at: momentOf(lastSeenAt),
  has_pin: pinHash !== null,
});

const hasSession = ({ kind }: Caller): boolean => kind === 'person' || kind === 'tablet';

type AllHandlers = Handlers<typeof accessRoutes>;
type OwnHandlers = Pick<AllHandlers, 'getSession' | 'signIn' | 'signOut' | 'changeOwnPassword'>;
type SessionHandlers = Pick<AllHandlers, 'listSessions' | 'endSession'>;
type TokenHandlers = Pick<AllHandlers, 'listTokens' | 'createToken' | 'revokeToken'>;
type SetUpHandlers = Pick<AllHandlers, 'getSetUp' | 'createFirstPerson'>;
type PeopleHandlers = Omit<
  AllHandlers,
  keyof OwnHandlers | keyof SessionHandlers | keyof TokenHandlers | keyof SetUpHandlers | 'checkAccess'
>;

const nameOf = (access: AccessControl, personId: string): string => access.person(personId)?.name ?? '';

const operations: ReadonlyMap<string, RouteDeclaration> = new Map(Object.entries(leaderApi));

/** The checks that precede the handler of a route, in the same order. */
const accessCheck =
  (scopes: Pick<ExperimentScopes, 'checkRoute'>): Handler<(typeof accessRoutes)['checkAccess']> =>
  ({ caller, query: { operation, ...params } }) => {
    const declaration = operations.get(operation);
    if (declaration === undefined) throw new ApiError('operation_unknown', { operation });
    authorize(declaration.permission, caller);
    scopes.checkRoute(operation, declaration, params, caller);
    return { status: 200, body: { is_allowed: true } };
  };

/** The sign-in and the session of the caller. */
function ownHandlers(access: AccessControl): OwnHandlers {
  return {
    getSession: ({ caller, headers }) => ({
      status: 200,
      body: toSession(
        access,
        caller,
        hasSession(caller) ? access.signedIn(textOf(headers.cookie), headers['x-csrf-token']) : undefined,
      ),
    }),
    signIn: async (request) => {
      const { name, password } = request.body;
      return sessionAnswer(access, request, await access.signIn(name, password, originOf(request)));
    },
    signOut: async ({ caller, isSecure = false }) => {
      if (hasSession(caller)) await access.endSession(caller.id);
      return { ...success, headers: { 'set-cookie': access.cookie('', isSecure, 0) } };
    },
    changeOwnPassword: async ({ caller, body, remoteAddress = '' }) => {
      expectPerson(caller);
      await access.changePassword(caller, body.password, body.new_password, remoteAddress);
      return success;
    },
  };
}

function sessionHandlers(access: AccessControl): SessionHandlers {
  return {
    listSessions: ({ caller }) => ({
      status: 200,
      body: access.sessions(managedBy(caller)).map((session) => ({
        session_id: session.id,
        person: nameOf(access, session.personId),
        tablet: session.tablet,
        created_at: toTimestamp(session.createdAt),
        last_seen_at: toTimestamp(session.lastSeenAt),
        expires_at: toTimestamp(expiryOf(session)),
        address: session.address,
        user_agent: session.userAgent,
        is_current: session.id === caller.id,
      })),
    }),
    endSession: async ({ caller, params: { session_id: id } }) => {
      await access.endSession(id, managedBy(caller));
      return success;
    },
  };
}

function tokenHandlers(access: AccessControl): TokenHandlers {
  const toToken = ({
    id,
    personId,
    name,
    permissions,
    createdAt,
    expiresAt,
    lastUsedAt,
    ...limits
  }: TokenRecord): Token => ({
    token_id: id,
    name,
    made_by: nameOf(access, personId),
    permissions: [...permissions],
    experiments: limits.experiments === undefined ? null : [...limits.experiments],
    units: limits.units === undefined ? null : [...limits.units],
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
    last_used_at: momentOf(lastUsedAt),
  });
  return {
    listTokens: ({ caller }) => ({ status: 200, body: access.tokens(managedBy(caller)).map(toToken) }),
    createToken: async ({ caller, body }) => {
      expectPerson(caller);
      const { token, secret } = await access.createToken(caller, body);
      return { status: 201, body: { ...toToken(token), secret } };
    },
    revokeToken: async ({ caller, params: { token_id: id } }) => {
      // A program may end its own token.
      await access.revokeToken(id, id === caller.id ? caller.personId : managedBy(caller));
      return success;
    },
  };
}

function peopleHandlers(access: AccessControl): PeopleHandlers {
  return {
    listPeople: () => ({ status: 200, body: access.people.map(toPerson) }),
    createPerson: async ({ body }) => ({ status: 201, body: toPerson(await access.createPerson(body)) }),
    updatePerson: async ({ params: { person_id: id }, body }) => {
      if (Object.keys(body).length === 0)
        throw new ApiError('nothing_to_change', { fields: 'display_name, role, is_disabled, password' });
      return { status: 200, body: toPerson(await access.updatePerson(id, body)) };
    },
    deletePerson: async ({ params: { person_id: id } }) => {
      await access.deletePerson(id);
      return success;
    },
  };
}

const setUpHandlers = (setUp: SetUp): SetUpHandlers => ({
  getSetUp: () => ({ status: 200, body: { is_needed: setUp.isNeeded } }),
  createFirstPerson: async ({ body, remoteAddress = '' }) => ({
    status: 201,
    body: toPerson(await setUp.createFirstPerson(body, remoteAddress)),
  }),
});

/** Set-up, sign-in, people, sessions and tokens. */
export const accessHandlers = (
  access: AccessControl,
  setUp: SetUp,
  scopes: Pick<ExperimentScopes, 'checkRoute'>,
): AllHandlers => ({
  checkAccess: accessCheck(scopes),
  ...setUpHandlers(setUp),
  ...ownHandlers(access),
  ...sessionHandlers(access),
  ...tokenHandlers(access),
  ...peopleHandlers(access),
});
