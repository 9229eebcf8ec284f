import type { PasskeyCreationOptions, PasskeyRegistration, PasskeySignIn, PasskeySignInOptions } from '@lcs/contract';
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser';

/** An IP address cannot have passkeys. */
const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);

/** Whether this browser can use passkeys at this address. */
export const canUsePasskeys = (): boolean => browserSupportsWebAuthn() && !isAddress(location.hostname);

/** Asks the person for a new passkey. @throws Error when they cancel */
export const createPasskey = async (options: PasskeyCreationOptions): Promise<PasskeyRegistration['credential']> =>
  startRegistration({ optionsJSON: options });

/** Asks the person for one of their passkeys. @throws Error when they cancel */
export const askForPasskey = async (options: PasskeySignInOptions): Promise<PasskeySignIn['credential']> =>
  startAuthentication({ optionsJSON: options });
