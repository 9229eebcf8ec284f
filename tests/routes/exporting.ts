import type { LeaderUnderTest } from '@lcs/testkit';
import { expect } from 'vitest';
import { fromBuffer } from 'yauzl';

type Readings = readonly (readonly [agoMs: number, value: number])[];

export type Exporting = 'exportDatasets' | 'exportDatasetsToUsb';

export interface Exported {
  readonly filename: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly row_count: number;
  readonly skipped: readonly string[];
  readonly path?: string;
}

/** The files of a zip as text, by name. */
export function unzipped(bytes: Uint8Array): Promise<ReadonlyMap<string, string>> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
  const files = new Map<string, string>();
  fromBuffer(Buffer.from(bytes), { lazyEntries: true }, (failure, zip) => {
    if (failure) return reject(failure);
    zip.on('entry', (entry) => {
      if (entry.fileName.endsWith('/')) return zip.readEntry();
      zip.openReadStream(entry, (unreadable, stream) => {
        if (unreadable) return reject(unreadable);
        let text = '';
        stream.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        stream.on('end', () => {
          files.set(entry.fileName, text);
          zip.readEntry();
        });
      });
    });
    zip.on('error', reject);
    zip.on('end', () => resolve(files));
    zip.readEntry();
  });
  return promise;
}

export const manifestOf = (files: ReadonlyMap<string, string>): unknown => JSON.parse(files.get('manifest.json') ?? '');

/** What tests of exports do with a leader again and again. */
export function exporting(leader: () => LeaderUnderTest) {
  /** Stores readings as if a unit had sent them. */
  const store = (unit: string, source: string, readings: Readings, experiment = 'exp 1'): Promise<void> =>
    leader().editStore((database) => {
      const { uid } = database.prepare('select uid from experiments where name = ?').get(experiment) ?? {};
      const { id } =
        database
          .prepare(
            'insert into series (experiment_uid, unit, source, channel, angle) values (?, ?, ?, ?, 90) returning id',
          )
          .get(String(uid), unit, source, '1') ?? {};
      const insert = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
      for (const [agoMs, value] of readings) insert.run(Number(id), leader().clock.now() - agoMs, value);
    });

  const at = (agoMs: number): string => new Date(leader().clock.now() - agoMs).toISOString();

  const ask = (changes: object = {}) => ({
    datasets: ['od_readings'],
    experiment: 'exp 1',
    partition_by_unit: false,
    partition_by_experiment: true,
    ...changes,
  });

  const begin = (changes: object = {}, operation: Exporting = 'exportDatasets') =>
    leader().api.call(operation, { body: ask(changes) });

  const ended = async (changes: object, operation: Exporting) =>
    leader().finished((await begin(changes, operation)).expect(202));

  /** Exports and returns the result of the task. */
  const exported = async (changes: object = {}, operation: Exporting = 'exportDatasets'): Promise<Exported> => {
    const task = await ended(changes, operation);
    if (task.status !== 'succeeded') throw new Error(`${task.error} ${task.cause}`);
    expect(task.result).toMatchObject({
      result: true,
      msg: 'Finished',
      filename: expect.stringMatching(/^export_\d{14}_[0-9a-f]{6}\.zip$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    return JSON.parse(JSON.stringify(task.result));
  };

  const failed = async (changes: object, operation: Exporting) => {
    const task = await ended(changes, operation);
    if (task.status !== 'failed') throw new Error('it was expected to fail');
    return task;
  };

  /** The files of a finished export. */
  const downloaded = async (filename: string): Promise<ReadonlyMap<string, string>> => {
    const answer = await leader().api.call('downloadExport', { params: { filename } });
    answer.expect(200);
    return unzipped(answer.bytes);
  };

  return { store, at, ask, begin, exported, failed, downloaded };
}
