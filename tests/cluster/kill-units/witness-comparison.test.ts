import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import type { CompletedKill } from './killed-process.ts';
import type { LedgerRecord } from './ledger.ts';
import { compareWithWitness, type Recorded } from './witness-comparison.ts';

const seriesId = 7;
const readingEveryMs = 50;

/** A reading whose only conversion was 10 ms before. */
const readingAt = (boot: number, guess0: number, atMs: number): LedgerRecord => ({
  seq: atMs,
  boot,
  mono: (atMs - guess0) * 1_000,
  at: atMs,
  series: seriesId,
  value: 1,
  more: {},
});

const every = (fromMs: number, toMs: number, stepMs: number): number[] =>
  Array.from({ length: Math.floor((toMs - fromMs) / stepMs) }, (_, index) => fromMs + index * stepMs);

const recorded = (boots: ReadonlyMap<number, number>, records: readonly LedgerRecord[]): Recorded => ({
  unit: 'unit1',
  records: [...records],
  boots: () => new Map([...boots].map(([boot, guess0]) => [boot, { wall0: guess0, guess0 }])),
  series: () => new Map([[seriesId, { source: 'raw_od', channel: '2' }]]),
});

const diedAt = (atMs: number): CompletedKill => ({
  name: 'unit1',
  kill: { at: 'time', afterMs: 0 },
  atMs,
  orderedMs: undefined,
  reachedPoint: false,
});

/** Two runs with readings: from 1 s to 3 s and from 9 s on. `between`: conversions without a reading. */
async function missingOf(deaths: readonly CompletedKill[], between: readonly number[]): Promise<readonly string[]> {
  await using folder = await temporaryFolder('witnessed');
  const readings = [...every(1_100, 3_000, readingEveryMs), ...every(9_100, 10_000, readingEveryMs)];
  const conversions = [...readings.map((atMs) => atMs - 10), ...between].sort((a, b) => a - b);
  const lines = conversions.map((at) =>
    JSON.stringify({ kind: 'conversion', mono_us: at * 1_000, at, device: 'i2c 0x49', code: 1 }),
  );
  const file = path.join(folder.path, 'witness.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const boots = new Map([
    [1, 1_000],
    [3, 9_000],
  ]);
  const records = readings.map((atMs) => readingAt(atMs < 9_000 ? 1 : 3, atMs < 9_000 ? 1_000 : 9_000, atMs));
  return compareWithWitness(recorded(boots, records), file, deaths, 250).missing;
}

it('finds readings that were lost too long before the end of a run', async () => {
  const missing = await missingOf([diedAt(3_700)], every(3_000, 3_600, 50));
  expect(missing).toHaveLength(1);
  expect(missing[0]).toContain('unit1 boot 1: the last');
});

it('accepts that the last readings of a run are missing', async () => {
  expect(await missingOf([diedAt(3_300)], every(3_000, 3_200, 50))).toEqual([]);
});

it('does not add the start of a run without stored records to the run before', async () => {
  expect(await missingOf([diedAt(3_000), diedAt(6_500)], every(5_000, 6_200, 100))).toEqual([]);
});

it('finds a long run without stored records', async () => {
  const missing = await missingOf([diedAt(3_000), diedAt(8_500)], every(5_000, 8_400, 50));
  expect(missing).toEqual(['unit1 after boot 1: 3350 ms of a life (68 conversions)']);
});
