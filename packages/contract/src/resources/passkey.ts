import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** Names of credentials, challenges and signatures: base64url. */
const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });
const CredentialId = Base64Url(2048);

const PublicKeyType = Type.Literal('public-key');
const CredentialReference = closed({ id: CredentialId, type: PublicKeyType });

export const Passkey = closed(
  {
    passkey_id: Type.String(),
    name: Type.String(),
    person: Type.String({ description: 'Name of the person' }),
    host: Type.String({
      description: 'The name of the leader in addresses under which it works (its relying party ID)',
    }),
    created_at: Timestamp,
    last_used_at: Nullable(Timestamp),
  },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;

const PasskeyName = Type.String({ minLength: 1, maxLength: 100, description: 'For people: the device it is on' });

export const PasskeyRename = closed({ name: PasskeyName }, { title: 'PasskeyRename' });

export const PasskeyRequest = closed(
  { password: Type.String({ maxLength: 1024, description: 'The present password of the person' }) },
  { title: 'PasskeyRequest' },
);

/** WebAuthn level 3, PublicKeyCredentialCreationOptionsJSON. */
export const PasskeyCreationOptions = closed(
  {
    rp: closed({ id: Type.String(), name: Type.String() }),
    user: closed({ id: Base64Url(256), name: Type.String(), displayName: Type.String() }),
    challenge: Base64Url(256),
    pubKeyCredParams: Type.Array(closed({ alg: Type.Integer(), type: PublicKeyType })),
    timeout: Type.Integer({ description: 'Milliseconds' }),
    excludeCredentials: Type.Array(CredentialReference),
    authenticatorSelection: closed({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
    attestation: Type.Literal('none'),
  },
  { title: 'PasskeyCreationOptions', description: 'For `navigator.credentials.create` (WebAuthn level 3, JSON)' },
);
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>;

/** WebAuthn level 3, PublicKeyCredentialRequestOptionsJSON. */
export const PasskeySignInOptions = closed(
  {
    rpId: Type.String(),
    challenge: Base64Url(256),
    timeout: Type.Integer({ description: 'Milliseconds' }),
    userVerification: Type.Literal('required'),
  },
  { title: 'PasskeySignInOptions', description: 'For `navigator.credentials.get` (WebAuthn level 3, JSON)' },
);
export type PasskeySignInOptions = Static<typeof PasskeySignInOptions>;

const Binary = Base64Url(100_000);
const shared = { id: CredentialId, rawId: CredentialId, type: PublicKeyType, clientExtensionResults: Type.Object({}) };

/** Further members, which browsers add, are ignored. */
const RegistrationResponse = Type.Object({
  ...shared,
  response: Type.Object({ clientDataJSON: Binary, attestationObject: Binary }),
});

export const PasskeyRegistration = closed(
  { name: PasskeyName, credential: RegistrationResponse },
  { title: 'PasskeyRegistration', description: '`credential`: the answer of `navigator.credentials.create`, as JSON' },
);
export type PasskeyRegistration = Static<typeof PasskeyRegistration>;

const AuthenticationResponse = Type.Object({
  ...shared,
  response: Type.Object({
    clientDataJSON: Binary,
    authenticatorData: Binary,
    signature: Binary,
    userHandle: Type.Optional(Type.String({ maxLength: 256 })),
  }),
});

export const PasskeySignIn = closed(
  { credential: AuthenticationResponse },
  { title: 'PasskeySignIn', description: '`credential`: the answer of `navigator.credentials.get`, as JSON' },
);
export type PasskeySignIn = Static<typeof PasskeySignIn>;
