import { Type } from 'typebox';
import { Session } from '../resources/access.ts';
import {
  Passkey,
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRename,
  PasskeyRequest,
  PasskeySignIn,
  PasskeySignInOptions,
} from '../resources/passkey.ts';
import { routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';
import { ofSession } from './shared-access.ts';

const passkeyPath = '/api/passkeys/{passkey_id}';

/** Passkeys (WebAuthn): registration and sign-in. A challenge works once, within 5 minutes. */
export const passkeyRoutes = routes({
  startPasskeySignIn: {
    ...ofSession,
    method: 'POST',
    path: '/api/session/passkey/challenge',
    summary: 'Options for a sign-in with a passkey',
    responses: ok(PasskeySignInOptions),
    errors: ['passkeys_unavailable'],
  },
  signInWithPasskey: {
    ...ofSession,
    method: 'POST',
    path: '/api/session/passkey',
    summary: 'Sign in with a passkey',
    description: 'Sets the session cookie. The passkey names the person.',
    body: PasskeySignIn,
    responses: ok(Session),
    errors: ['passkeys_unavailable', 'passkey_refused', 'sign_in_failed'],
  },
  listPasskeys: {
    ...ofSession,
    method: 'GET',
    path: '/api/passkeys',
    summary: 'Own passkeys; with people.write those of everybody',
    responses: ok(Type.Array(Passkey)),
    errors: [],
  },
  startPasskeyRegistration: {
    ...ofSession,
    method: 'POST',
    path: '/api/passkeys/challenge',
    summary: 'Options for a new passkey',
    description: 'Needs the present password: a session left open must not become a lasting way to sign in.',
    body: PasskeyRequest,
    responses: ok(PasskeyCreationOptions),
    errors: ['person_needed', 'passkeys_unavailable', 'sign_in_failed', 'sign_in_delayed'],
  },
  registerPasskey: {
    ...ofSession,
    method: 'POST',
    path: '/api/passkeys',
    summary: 'Add a passkey',
    body: PasskeyRegistration,
    responses: { 201: { description: 'Created', schema: Passkey } },
    errors: ['person_needed', 'passkeys_unavailable', 'passkey_refused', 'too_many_passkeys'],
  },
  renamePasskey: {
    ...ofSession,
    method: 'PATCH',
    path: passkeyPath,
    summary: 'Rename a passkey',
    body: PasskeyRename,
    responses: ok(Passkey),
    errors: ['passkey_not_found'],
  },
  deletePasskey: {
    ...ofSession,
    method: 'DELETE',
    path: passkeyPath,
    summary: 'Delete a passkey',
    description: 'The person can still sign in with the password, which cannot be removed.',
    responses: acknowledged,
    errors: ['passkey_not_found'],
  },
});
