/** In the storage of this tab: whoever ends a sign-in must have begun it here. */
const secretKey = 'lcs.provider-sign-in';
/** Where the provider of an institution returns people. */
const returnPath = '/sign-in';

/** A sign-in that a person has done at the provider. */
export interface Returned {
  readonly secret: string;
  readonly callback_url: string;
}

/** The way to the provider of an institution and back. */
export interface ProviderReturn {
  /** What the provider has returned to this page, once. */
  take(): Returned | null;
  /** Leaves the page for the provider. */
  leave(start: { readonly url: string; readonly secret: string }): void;
}

/** Reads the address of the page before anything changes it, and removes what the provider has put there. */
export function createProviderReturn(): ProviderReturn {
  const { pathname, search, href } = location;
  const isReturned = pathname === returnPath && /[?&](code|error)=/.test(search);
  let returned: Returned | null = isReturned
    ? { secret: sessionStorage.getItem(secretKey) ?? '', callback_url: href }
    : null;
  if (isReturned) {
    sessionStorage.removeItem(secretKey);
    history.replaceState(null, '', returnPath);
  }
  return {
    take: () => {
      const mine = returned;
      returned = null;
      return mine;
    },
    leave: ({ url, secret }) => {
      sessionStorage.setItem(secretKey, secret);
      location.assign(url);
    },
  };
}
