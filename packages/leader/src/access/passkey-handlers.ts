import type { Handlers, Passkey, passkeyRoutes } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { AccessControl } from './access-control.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { Passkeys } from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';
import { expectPerson, managedBy, momentOf, originOf, sessionAnswer, success, textOf } from './session-answers.ts';

/** Registration of passkeys, and the sign-in with one. */
export function passkeyHandlers(access: AccessControl, passkeys: Passkeys): Handlers<typeof passkeyRoutes> {
  const toPasskey = ({ id, personId, name, host, createdAt, lastUsedAt }: PasskeyRecord): Passkey => ({
    passkey_id: id,
    name,
    person: access.person(personId)?.name ?? '',
    host,
    created_at: toTimestamp(createdAt),
    last_used_at: momentOf(lastUsedAt),
  });
  return {
    startPasskeySignIn: ({ headers }) => ({
      status: 200,
      body: passkeys.startSignIn(relyingPartyOf(textOf(headers.host))),
    }),
    signInWithPasskey: async (request) => {
      const relyingParty = relyingPartyOf(textOf(request.headers.host));
      return sessionAnswer(access, request, await passkeys.signIn(request.body, originOf(request), relyingParty));
    },
    listPasskeys: ({ caller }) => ({ status: 200, body: passkeys.of(managedBy(caller)).map(toPasskey) }),
    startPasskeyRegistration: async ({ caller, body: { password }, remoteAddress = '', headers }) => {
      expectPerson(caller);
      const relyingParty = relyingPartyOf(textOf(headers.host));
      return { status: 200, body: await passkeys.startRegistration(caller, password, remoteAddress, relyingParty) };
    },
    registerPasskey: async ({ caller, body, headers }) => {
      expectPerson(caller);
      const relyingParty = relyingPartyOf(textOf(headers.host));
      return { status: 201, body: toPasskey(await passkeys.register(caller, body, relyingParty)) };
    },
    renamePasskey: async ({ caller, params: { passkey_id: id }, body: { name } }) => ({
      status: 200,
      body: toPasskey(await passkeys.rename(id, name, managedBy(caller))),
    }),
    deletePasskey: async ({ caller, params: { passkey_id: id } }) => {
      await passkeys.delete(id, managedBy(caller));
      return success;
    },
  };
}
