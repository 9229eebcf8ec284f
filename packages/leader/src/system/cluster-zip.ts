import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@lcs/contract';
import { dataArchiveLimits, type OpenZip, openZip } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { mergedZip } from './merged-zip.ts';
import type { UnitFiles } from './unit-files.ts';

/** Time limit: each unit packs its whole data folder, and the leader receives all of them. */
const atATime = 8;
/** Space reserved for the databases of the leader. */
const reserveBytes = 512 * 1024 * 1024;
const bytesBetweenChecks = 16 * 1024 * 1024;

/** Fails when the disk has too little free space. @throws ApiError storage_full */
class FreeSpaceWatch extends Transform {
  readonly #freeBytes: () => Promise<number>;
  #bytes = bytesBetweenChecks;

  constructor(freeBytes: () => Promise<number>) {
    super();
    this.#freeBytes = freeBytes;
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.#bytes += chunk.length;
    if (this.#bytes < bytesBetweenChecks) {
      done(null, chunk);
      return;
    }
    this.#bytes = 0;
    this.#freeBytes().then(
      (free) => {
        if (free < reserveBytes) done(new ApiError('storage_full', {}));
        else done(null, chunk);
      },
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

export interface ClusterZipOptions {
  readonly units: readonly string[];
  readonly path: string;
  /** Of the disk of the leader's data folder. */
  readonly freeBytes: () => Promise<number>;
  readonly signal: AbortSignal;
}

interface Fetched {
  readonly unit: string;
  /** Undefined: the unit returned none. */
  readonly zip: OpenZip | undefined;
}

/**
 * The data folders of several units in one archive, each below its name. Their archives are fetched to the disk of the
 * leader first, so that a failed unit is detected before the answer starts.
 * @throws ApiError unit_gave_no_answer when no unit returned one, storage_full
 */
export async function clusterZip(
  context: Pick<LeaderContext, 'dataFolder' | 'newId' | 'clock' | 'log'>,
  files: Pick<UnitFiles, 'download'>,
  { units, path, freeBytes, signal }: ClusterZipOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const folder = join(context.dataFolder, 'run', `zip-${context.newId()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const full = new AbortController();
  const until = AbortSignal.any([signal, full.signal]);
  const fetch = async (unit: string): Promise<Fetched> => {
    const target = join(folder, `${unit}.zip`);
    try {
      const content = await files.download(unit, path, until);
      await pipeline(content, new FreeSpaceWatch(freeBytes), createWriteStream(target, { mode: 0o600 }), {
        signal: until,
      });
      return { unit, zip: await openZip(target, dataArchiveLimits) };
    } catch (error) {
      until.throwIfAborted();
      if (error instanceof ApiError && error.code === 'storage_full') {
        full.abort(error);
        throw error;
      }
      context.log.warn('A unit is not in the archive of the cluster', { unit, error: String(error) });
      return { unit, zip: undefined };
    }
  };
  const fetched: Fetched[] = [];
  const close = async () => {
    for (const { zip } of fetched) zip?.close();
    await rm(folder, { recursive: true, force: true });
  };
  const left = units.entries();
  const some = async () => {
    for (const [index, unit] of left) fetched[index] = await fetch(unit);
  };
  const ended = await Promise.allSettled(Array.from({ length: atATime }, some));
  const failure = ended.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') {
    await close();
    throw failure.reason;
  }
  if (fetched.every(({ zip }) => zip === undefined)) {
    await close();
    throw new ApiError('unit_gave_no_answer', { unit: units.join(', '), cause: 'None of them returned an archive.' });
  }
  return closing(merged(fetched, toTimestamp(context.clock.now())), close);
}

/** A generator that ends before its first step runs none of its own lines: this wrapper releases its resources. */
function closing(chunks: AsyncGenerator<Uint8Array>, close: () => Promise<void>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        try {
          const next = await chunks.next();
          if (next.done) await close();
          return next;
        } catch (error) {
          await close();
          throw error;
        }
      },
      return: async () => {
        await chunks.return(undefined);
        await close();
        return { done: true, value: undefined };
      },
    }),
  };
}

function merged(fetched: readonly Fetched[], at: string): AsyncGenerator<Uint8Array> {
  const metadata = {
    metadata_version: 1,
    downloaded_at_utc: at,
    included: fetched.filter((one) => one.zip !== undefined).map(({ unit }) => unit),
    omitted_units: fetched.filter((one) => one.zip === undefined).map(({ unit }) => unit),
  };
  const parts = fetched.map(({ unit, zip }) => ({ folder: unit, members: zip?.members ?? [] }));
  return mergedZip(parts, { name: 'metadata.json', content: `${JSON.stringify(metadata, null, 1)}\n` });
}
