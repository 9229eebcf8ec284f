import { createHash } from 'node:crypto';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { ApiError, type ConfigHistoryEntry, type ConfigHistoryQuery } from '@lcs/contract';
import { toTimestamp, withHiddenSecrets } from '@lcs/platform';
import { type Effects, type LeaderContext, type LeaderTransaction, noLimit } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** The name under which the shared file has its history. */
export const sharedConfigName = 'config.ini';

/** The names under which a unit's own file has its history: the current one, and one of older rows. */
export const ownConfigNames = (unit: string): readonly [current: string, older: string] => [
  `unit_config.ini::${unit}`,
  `config_${unit}.ini`,
];

/** The SHA-256 of a text as the API returns it, in hex digits: the version of a file. */
export const versionOf = (text: string): string =>
  createHash('sha256').update(withHiddenSecrets(text), 'utf8').digest('hex');

/** The data of a save beside the text. */
export interface SaveTerms {
  /** The version that was changed; absent: the save replaces any version. */
  readonly basedOn?: readonly string[];
  readonly author?: string;
}

/** All versions of a file, newest first. */
export const configVersions = (database: LeaderReader, filename: string) =>
  database
    .selectFrom('config_histories')
    .where('filename', '=', filename)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .select(['filename', 'at', 'data', 'author']);

/** The number of versions that are kept of a file: three saves a day for a year. */
const keptVersions = 1_000;

/** Characters of texts that are read in one turn of the event loop: some milliseconds. */
const readAtOnce = 262_144;

/** The full texts of the versions of a file as JSON, newest first. `names`: all names that it has or had. */
export async function* configHistory(
  database: LeaderReader,
  names: string | readonly string[],
  { skip = 0, limit = noLimit, authors = false }: ConfigHistoryQuery,
): AsyncGenerator<string> {
  const ids = await database
    .selectFrom('config_histories')
    .where('filename', 'in', [names].flat())
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .select('id')
    .limit(limit)
    .offset(skip)
    .execute();
  let written = '[';
  let separator = '';
  for (const { id } of ids) {
    const row = await database
      .selectFrom('config_histories')
      .where('id', '=', id)
      .select(['filename', 'at', 'data', 'author'])
      .executeTakeFirst();
    // Removed meanwhile in favour of a newer version.
    if (row === undefined) continue;
    const { filename, at, data, author } = row;
    const entry: ConfigHistoryEntry = {
      filename,
      timestamp: toTimestamp(at),
      data: withHiddenSecrets(data),
      ...(authors && { author }),
    };
    written += separator + JSON.stringify(entry);
    separator = ',';
    if (written.length < readAtOnce) continue;
    yield written;
    written = '';
    await turnOfEventLoop();
  }
  yield `${written}]`;
}

interface NewVersion {
  readonly filename: string;
  readonly data: string;
  readonly author?: string;
  readonly now: number;
}

/** Adds a version to the history and publishes the change, as a part of it. */
export async function addConfigVersion(
  transaction: LeaderTransaction,
  effects: Pick<Effects, 'live'>,
  { filename, data, author, now }: NewVersion,
): Promise<void> {
  const newest = await configVersions(transaction, filename).limit(1).executeTakeFirst();
  // The clock may have been set back, and clients tell versions apart by their time.
  const at = newest === undefined ? now : Math.max(now, newest.at + 1);
  await transaction
    .insertInto('config_histories')
    .values({ at, filename, data, author: author ?? null })
    .execute();
  const tooOld = transaction
    .selectFrom('config_histories')
    .where('filename', '=', filename)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .select('id')
    .limit(noLimit)
    .offset(keptVersions);
  await transaction.deleteFrom('config_histories').where('id', 'in', tooOld).execute();
  effects.live('config', filename, { filename, timestamp: toTimestamp(at) });
}

/** Adds a version to the history and publishes the change. */
export async function recordConfig(
  context: Pick<LeaderContext, 'change' | 'clock'>,
  filename: string,
  data: string,
  author?: string,
): Promise<void> {
  const version = { filename, data, now: context.clock.now(), ...(author !== undefined && { author }) };
  await context.change((transaction, effects) => addConfigVersion(transaction, effects, version));
}

/**
 * Refuses a save that would undo another person's save.
 * @throws ApiError config_changed
 */
export async function expectBase(
  database: LeaderReader,
  filename: string,
  current: string,
  { basedOn }: SaveTerms,
): Promise<void> {
  if (basedOn === undefined || basedOn.includes(versionOf(current))) return;
  const newest = await configVersions(database, filename).limit(1).executeTakeFirst();
  const by = newest?.author ? ` by ${newest.author}` : '';
  const changed = newest ? `at ${toTimestamp(newest.at)}${by}` : 'when this leader was set up';
  throw new ApiError('config_changed', { filename, changed });
}
