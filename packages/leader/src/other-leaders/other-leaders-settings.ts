import { readFile } from 'node:fs/promises';
import { isLoopback, reasonOf, StartupError } from '@lcs/platform';
import { leaderFileName, readLeaderFile } from '../core/leader-file.ts';

/** A leader of section `[leaders]`. */
export interface OtherLeaderSettings {
  readonly name: string;
  readonly url: string;
  /** Of a person at that leader. */
  readonly token: string | undefined;
  /** Certificate (PEM) of the authority that its server has, if machines do not trust it anyway. */
  readonly authority: string | undefined;
}

const section = 'leaders';
/** Keys of a leader beside its address. */
const [tokenSuffix, authoritySuffix] = ['_token', '_authority'];

/** @throws StartupError for an address to which the token would go without encryption */
function checkedUrl(name: string, text: string): string {
  const where = `[${section}] ${name} in ${leaderFileName}`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new StartupError(`${where} must be the address of a leader, such as https://north.lab:4999, not '${text}'.`);
  const { protocol, hostname } = new URL(text);
  if (protocol === 'http:' && hostname !== 'localhost' && !isLoopback(hostname.replace(/^\[|\]$/g, '')))
    throw new StartupError(
      `${where} must begin with https://: the token would go over the network without encryption.`,
    );
  return text.replace(/\/+$/, '');
}

async function authorityIn(path: string, key: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(`[${section}] ${key} in ${leaderFileName}: ${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** The other leaders that `leader.ini` names, in its order. @throws StartupError */
export async function loadOtherLeaders(dataFolder: string): Promise<readonly OtherLeaderSettings[]> {
  const keys = (await readLeaderFile(dataFolder))[section] ?? {};
  const names = Object.keys(keys).filter((key) => !key.endsWith(tokenSuffix) && !key.endsWith(authoritySuffix));
  return Promise.all(
    names.map(async (name) => {
      const authorityKey = `${name}${authoritySuffix}`;
      const path = keys[authorityKey];
      return {
        name,
        url: checkedUrl(name, keys[name] ?? ''),
        token: keys[`${name}${tokenSuffix}`],
        authority: path === undefined ? undefined : await authorityIn(path, authorityKey),
      };
    }),
  );
}
