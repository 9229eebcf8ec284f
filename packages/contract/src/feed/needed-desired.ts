/** Headers of a command that a unit must execute only after it has applied a version of its leader's document. */
export const neededDesiredHeaders = { version: 'x-desired-version', leaderId: 'x-leader-id' } as const;

/** What such a command needs. */
export interface NeededDesired {
  readonly leaderId: string;
  readonly version: number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const wholeNumber = /^\d{1,15}$/;

/** The headers of a command that needs it. */
export const headersOfNeeded = ({ leaderId, version }: NeededDesired): Readonly<Record<string, string>> => ({
  [neededDesiredHeaders.version]: String(version),
  [neededDesiredHeaders.leaderId]: leaderId,
});

/** What a command needs by its headers; undefined: nothing. `invalid`: the headers are not as declared. */
export function neededIn(headers: Headers): NeededDesired | 'invalid' | undefined {
  const version = headers[neededDesiredHeaders.version];
  const leaderId = headers[neededDesiredHeaders.leaderId];
  if (version === undefined) return undefined;
  if (typeof version !== 'string' || !wholeNumber.test(version) || typeof leaderId !== 'string') return 'invalid';
  return { leaderId, version: Number(version) };
}
