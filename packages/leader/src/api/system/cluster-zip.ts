import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@lcs/contract';
import { dataArchiveLimits, mergedZip, type OpenZip, openZip, toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../../leader-context.ts';
import type { UnitFiles } from './unit-files.ts';

interface Fetched {
  readonly unit: string;
  /** Undefined: the unit gave none. */
  readonly zip: OpenZip | undefined;
}

/**
 * The data folders of several units in one archive, each below its name. Their archives are fetched to the disk of the
 * leader first, so that a unit that fails is known before the answer begins.
 * @throws ApiError unit_gave_no_answer when no unit gave one
 */
export async function clusterZip(
  context: Pick<LeaderContext, 'dataFolder' | 'newId' | 'clock' | 'log'>,
  files: UnitFiles,
  { units, path, signal }: { readonly units: readonly string[]; readonly path: string; readonly signal: AbortSignal },
): Promise<AsyncIterable<Uint8Array>> {
  const folder = join(context.dataFolder, 'run', `zip-${context.newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fetch = async (unit: string): Promise<Fetched> => {
    const target = join(folder, `${unit}.zip`);
    try {
      await pipeline(await files.download(unit, path, signal), createWriteStream(target, { mode: 0o600 }), { signal });
      return { unit, zip: await openZip(target, dataArchiveLimits) };
    } catch (error) {
      signal.throwIfAborted();
      context.log.warn('A unit is not in the archive of the cluster', { unit, error: String(error) });
      return { unit, zip: undefined };
    }
  };
  const fetched = await Promise.all(units.map(fetch));
  const close = async () => {
    for (const { zip } of fetched) zip?.close();
    await rm(folder, { recursive: true, force: true });
  };
  if (fetched.every(({ zip }) => zip === undefined)) {
    await close();
    throw new ApiError('unit_gave_no_answer', { unit: units.join(', '), cause: 'None of them gave an archive.' });
  }
  return merged(fetched, toTimestamp(context.clock.now()), close);
}

async function* merged(
  fetched: readonly Fetched[],
  at: string,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    const metadata = {
      metadata_version: 1,
      downloaded_at_utc: at,
      included: fetched.filter((one) => one.zip !== undefined).map(({ unit }) => unit),
      omitted_units: fetched.filter((one) => one.zip === undefined).map(({ unit }) => unit),
    };
    const parts = fetched.map(({ unit, zip }) => ({ folder: unit, members: zip?.members ?? [] }));
    yield* mergedZip(parts, { name: 'metadata.json', content: `${JSON.stringify(metadata, null, 1)}\n` });
  } finally {
    await close();
  }
}
