import { Type } from 'typebox';
import { closed, Nullable } from './common.ts';

/** The provider of an institution's accounts. */
export const IdentityProvider = closed(
  { name: Nullable(Type.String({ description: 'For people; null: none is configured' })) },
  { title: 'IdentityProvider' },
);

export const OidcSignInStart = closed(
  {
    url: Type.String({ description: 'Where the person signs in' }),
    secret: Type.String({ description: 'The page keeps it and sends it back: nobody else can end this sign-in' }),
  },
  { title: 'OidcSignInStart' },
);

export const OidcSignIn = closed(
  {
    secret: Type.String({ maxLength: 128 }),
    callback_url: Type.String({
      maxLength: 8192,
      description: 'The address to which the provider returned the person',
    }),
  },
  { title: 'OidcSignIn' },
);
