import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArchiveFailed } from '../sealed/archive-failed.ts';
import { isBucket } from '../sealed/open-storage.ts';
import { s3Access } from '../sealed/s3-credentials.ts';
import { S3Storage } from '../sealed/s3-storage.ts';
import { ArchiveFileMissing } from '../sealed/storage.ts';
import { s3Server } from '../testing/s3-server.ts';
import { seriesKey, testSeriesStore } from '../testing/test-series.ts';
import { Archive } from './archive.ts';
import { monthNamed } from './month.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const place = 's3://months/lab 1/readings'.replace(' ', '-');
const signal = new AbortController().signal;
const month = monthNamed('2026-08') ?? expect.unreachable();
const hourMs = 3_600_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-s3-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

function stubAccess(endpoint: string, key: string): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', key);
  vi.stubEnv('AWS_REGION', 'eu-test-1');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', endpoint);
}

async function filled() {
  const store = await testSeriesStore();
  const readings = Array.from({ length: 30_000 }, (_, index) => ({
    series: 0,
    at: month.fromMs + index * 30_000,
    value: Math.sin(index) + Math.cos(index * 7) / 3,
  }));
  await store.ingest.write({ series: [seriesKey()], readings, nowMs: month.fromMs });
  const { database, path } = store;
  const options = {
    database,
    store: { path },
    version: 'test',
    leaderId: 'l1',
    workFolder: join(folder, 'work'),
    now: () => 0,
  };
  const archive = new Archive({ ...options, wire: realClock(), graceMs: 0 });
  const answer = (lookbackHours: number, nowMs: number) =>
    Buffer.from(
      store.reader.answer({ experimentUid: 'e1', source: 'od', lookbackHours, targetPoints: 100_000, nowMs }).bytes,
    ).toString();
  return Object.assign(store, { archive, answer });
}

describe('a month sealed in a bucket', () => {
  it('is signed, answers as before by parts of its file, and leaves the bucket when it is unsealed', async () => {
    await using server = await s3Server(secret);
    stubAccess(server.endpoint, secret);
    await using store = await filled();
    const early = month.fromMs + 5 * hourMs;
    const before = [store.answer(1, early), store.answer(24 * 40, month.toMs)];
    // A server that is busy for a moment.
    await server.fail(2);
    expect(await store.archive.seal(month, place, signal, () => {})).toMatchObject({ files: 1, rows: 30_000 });
    const [sealed, ...others] = (await server.state()).objects;
    expect([sealed?.name, others]).toEqual(['/months/lab-1/readings/2026-08/e1.parquet', []]);
    expect(store.answer(1, early)).toBe(before[0]);
    const { reads } = await server.state();
    // The footer, and columns of one row group.
    expect(reads.slice(1).reduce((sum, length) => sum + length, 0)).toBeLessThan((sealed?.bytes ?? 0) / 3);
    expect(store.answer(24 * 40, month.toMs)).toBe(before[1]);
    expect(await store.archive.verify(month, signal, () => {})).toEqual([]);
    await store.archive.unseal(month, signal, () => {});
    expect((await server.state()).objects).toEqual([]);
    expect(store.answer(24 * 40, month.toMs)).toBe(before[1]);
  });

  it('stays in the store when the signature is refused, and the secret is in no message', async () => {
    await using server = await s3Server(secret);
    stubAccess(server.endpoint, 'another');
    await using store = await filled();
    const before = store.answer(24 * 40, month.toMs);
    const sealing = store.archive.seal(month, place, signal, () => {});
    await expect(sealing).rejects.toThrow(/403 SignatureDoesNotMatch$/);
    await expect(sealing).rejects.toBeInstanceOf(ArchiveFailed);
    expect(await store.archive.files()).toEqual([]);
    expect(store.answer(24 * 40, month.toMs)).toBe(before);
  });
});

describe('a bucket', () => {
  it('keeps files of any content, and has none that was removed', async () => {
    await using server = await s3Server(secret);
    const storage = new S3Storage(place, s3Access({ ...access, AWS_ENDPOINT_URL: `${server.endpoint}/` }));
    const path = join(folder, 'file');
    await writeFile(path, 'content');
    const sha256 = 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73';
    await storage.put('2026-08/a.parquet', path, sha256);
    expect(Buffer.from(await storage.read('2026-08/a.parquet', 2, 5)).toString()).toBe('nte');
    await storage.fetchTo('2026-08/a.parquet', `${path}.copy`);
    expect(await readFile(`${path}.copy`, 'utf8')).toBe('content');
    await writeFile(path, 'other');
    await expect(storage.put('2026-08/a.parquet', path, sha256)).rejects.toThrow('XAmzContentSHA256Mismatch');
    await storage.remove('2026-08/a.parquet');
    await storage.remove('2026-08/a.parquet');
    await expect(storage.read('2026-08/a.parquet', 0, 1)).rejects.toBeInstanceOf(ArchiveFileMissing);
  });

  it('has an address of its own at Amazon, and needs credentials from the environment or a file', async () => {
    const file = join(folder, 'credentials');
    await writeFile(
      file,
      '[default]\naws_access_key_id = a\n\n[lab]\naws_access_key_id=b\naws_secret_access_key = c+d/e=\n',
    );
    const of = (environment: Record<string, string>) => s3Access({ AWS_SHARED_CREDENTIALS_FILE: file, ...environment });
    expect(of({ AWS_PROFILE: 'lab' })).toMatchObject({
      accessKeyId: 'b',
      secretAccessKey: 'c+d/e=',
      region: 'us-east-1',
    });
    expect(() => of({})).toThrow(ArchiveFailed);
    expect(() => of({ AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') })).toThrow(ArchiveFailed);
    expect(of({ ...access, AWS_SESSION_TOKEN: 't' })).toMatchObject({ accessKeyId: 'id', sessionToken: 't' });
  });

  it.each([
    ['s3://months', true],
    ['s3://months/a/b', true],
    ['s3://UPPER/a', false],
    ['s3://../a', false],
    ['https://months', false],
    ['/var/months', false],
  ])('is %s: %s', (text, expected) => {
    expect(isBucket(text)).toBe(expected);
  });
});

const access = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: secret } as const;
