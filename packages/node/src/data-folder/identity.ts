import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errnoOf, type Probe, reasonOf, StartupError, writeFileDurably } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });

/** Who a node is, as `identity.json` in its data folder has it. */
export const Identity = Type.Object({
  /** Of the node, as long as the data folder lives. */
  id: Uuid,
  /** Under which the operator knows it; may change between starts. */
  name: Type.String({ minLength: 1 }),
  /** When the data folder was first used, ISO 8601 in UTC. */
  created: Type.String({ minLength: 1 }),
  /** How often the node has been started, this time included. */
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
 * Reads who the node is (or makes a new identity in an empty folder) and counts this start: when the promise resolves, the
 * new boot number is on disk, so that no two starts ever have the same. Throws StartupError when the file is damaged or
 * cannot be written.
 */
export async function loadIdentity(dataFolder: string, options: IdentityOptions): Promise<Identity> {
  const known = await readIdentity(dataFolder);
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

async function readIdentity(dataFolder: string): Promise<Identity | undefined> {
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

/** A new identity would make the leader take the node for another one, so none is made in its place. */
const damaged = (path: string, cause?: unknown) =>
  new StartupError(
    `The file ${path} is damaged; restore it from a backup, or remove it to let this node begin under a new identity.`,
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
