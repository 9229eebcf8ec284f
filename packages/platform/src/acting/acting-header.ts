import { actingAccount } from './acting-account.ts';

/** Sent by the leader: the name of the person or program for whom it acts. */
const header = 'x-lcs-caller';
/** Names of people have 64 characters at most, those of tokens 100. */
const acceptable = /^\P{Cc}{1,100}$/u;

/** The header of a request to a unit; none while nobody is acting. */
export function actingHeaders(): Readonly<Record<string, string>> {
  const name = actingAccount();
  // Header values are ASCII.
  return name === null ? {} : { [header]: encodeURIComponent(name) };
}

/** The account in the headers of a request of the leader. */
export function accountOfRequest(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  return accountIn(headers[header]);
}

export function accountIn(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const name = decodeURIComponent(value);
    return acceptable.test(name) ? name : undefined;
  } catch {
    // It is not written by a leader.
    return undefined;
  }
}
