import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errnoOf, type Probe, reasonOf, StartupError, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });

/** The identity of a node, stored in `identity.json` of its data folder. */
export const Identity = Type.Object({
  /** Identifies the node for the lifetime of its data folder. */
  id: Uuid,
  /** The node's name; may change between starts. */
  name: Type.String({ minLength: 1 }),
  /** When the data folder was first used, ISO 8601 in UTC. */
  created: Type.String({ minLength: 1 }),
  /** The number of starts of the node, including this one. */
  boot: Type.Integer({ minimum: 1 }),
});
export type Identity = Readonly<Static<typeof Identity>>;

export interface IdentityOptions {
  readonly name: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly probe?: Probe;
  /** Makes ids. Default: random UUIDs. */
  readonly newId?: () => string;
}

/**
 * Reads the identity of the node (or creates one in an empty folder) and counts this start: when the promise resolves, the new boot number
 * is on disk, so that it is unique. Throws StartupError when the file is damaged or cannot be written.
 */
export async function loadIdentity(dataFolder: string, options: IdentityOptions): Promise<Identity> {
  const known = await knownIdentity(dataFolder);
  const newId = options.newId ?? randomUUID;
  const identity: Identity =
    known === undefined
      ? {
          id: newId(),
          name: options.name,
          created: new Date(options.clock.now()).toISOString(),
          boot: 1,
        }
      : { id: known.id, name: options.name, created: known.created, boot: known.boot + 1 };
  await writeIdentity(dataFolder, identity, options.probe);
  return identity;
}

const pathIn = (dataFolder: string) => join(dataFolder, 'identity.json');

/** The identity in a data folder, of its last start; undefined: it was never used. Does not write. @throws StartupError */
export async function knownIdentity(dataFolder: string): Promise<Identity | undefined> {
  const path = pathIn(dataFolder);
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) throw damaged(path, error);
    throw new StartupError(`The file ${path} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  if (!Value.Check(Identity, value)) throw damaged(path);
  return value;
}

/** The leader would take a new identity for another node, so a damaged one is not replaced. */
const damaged = (path: string, cause?: unknown) =>
  new StartupError(
    `The file ${path} is damaged. Restore it from a backup, or remove it to start this node with a new identity.`,
    { cause },
  );

async function writeIdentity(dataFolder: string, identity: Identity, probe: Probe | undefined): Promise<void> {
  const path = pathIn(dataFolder);
  try {
    await writeFileDurably(path, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600, ...(probe && { probe }) });
  } catch (error) {
    throw new StartupError(`The file ${path} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
}
