import { type DosingEntry, defaultNoise, type NoiseProfile } from '@lcs/domain';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { automation, env, errors, stateOf, type TestUnit } from '../../testing/test-dosing.ts';
import { type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';

type Fault = NonNullable<NonNullable<TestUnitOptions['vial']>['faults']>[number]['fault'];

const hourS = 3600;
const Started = Type.Object({ media_ml: Type.Number() });
const job = { jobName: 'dosing_automation' };

interface Course {
  readonly fault: Fault;
  readonly readingEveryS: number;
  readonly policy?: 'pause' | 'warn';
  readonly exchangeMl?: number;
  readonly noise?: NoiseProfile;
}

/** A turbidostat in a culture of OD 0.6, of which something fails after an hour and a half. */
async function turbidostatWith({ fault, readingEveryS, policy = 'pause', exchangeMl = 1, noise }: Course) {
  const unit = await testUnit({
    vial: {
      ...(noise && { noise }),
      evaporationMlPerHour: 0,
      ambientC: 34,
      faults: [{ fault, fromS: 1.5 * hourS, untilS: 1e9 }],
    },
    start: { volumeMl: 15, od: 0.6, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: '15', efflux_tube_volume_ml: '15' },
      'od_reading.config': { samples_per_second: String(1 / readingEveryS) },
      'dosing_automation.config': { on_missing_effect: policy },
    },
  });
  await unit.run('stirring', { env });
  await unit.run('od_reading', { env });
  await unit.pass(240);
  const target = unit.recorded.values('od').at(-1) ?? 0;
  await automation(unit, 'turbidostat', {
    target_biomass: target,
    biomass_signal: 'od',
    exchange_volume_ml: exchangeMl,
  });
  return unit;
}

const implausible = (unit: TestUnit) => unit.recorded.events.filter(({ name }) => name === 'dose_implausible');
const corrections = (unit: TestUnit) =>
  unit.recorded.events.filter(({ name, data }) => name === 'dosing' && data.correction !== undefined);
const vialOf = (unit: TestUnit) => unit.plant.state(unit.clock.monotonic()).vial.state;
const exchanges = (unit: TestUnit): number =>
  unit.recorded.events.filter(({ data }) => data.event_name === 'DilutionEvent').length;

describe.each([5, 30, 60, 120])('with a reading every %d s', (readingEveryS) => {
  it('a blocked medium is noticed within three doses; dosing pauses, and the ledger is corrected', async () => {
    await using unit = await turbidostatWith({ fault: 'media_blocked', readingEveryS });
    await unit.pass(1.5 * hourS - 250);
    const before = exchanges(unit);
    // Of a unit that pauses nothing more is to be seen.
    await unit.pass((readingEveryS === 5 ? 1.25 : 3) * hourS);
    expect(exchanges(unit) - before).toBeLessThanOrEqual(3);
    expect(implausible(unit)).toMatchObject([{ data: { disturbance: 'missing', pump: 'media_pump' } }]);
    expect(stateOf(unit)).toBe('sleeping');
    expect(errors(unit)).toHaveLength(1);
    const { ledger } = vialOf(unit);
    const known = unit.liquids.ledger.values('exp1');
    expect(Math.abs(known.cumulative_media_added_ml - ledger.media)).toBeLessThan(0.06 * ledger.media + 0.05);
    expect(Math.abs(known.current_volume_ml - 15)).toBeLessThan(0.1);
  }, 120_000);
});

it('a correction names its dose, its reason and its evidence, as an event and in the ledger', async () => {
  await using unit = await turbidostatWith({ fault: 'media_dry', readingEveryS: 5 });
  await unit.pass(2.5 * hourS);
  const [waste, media] = corrections(unit).map(({ data }) => data);
  expect(waste).toMatchObject({ event: 'remove_waste', correction: { reason: 'missing', entry: expect.any(Number) } });
  expect(media).toMatchObject({ event: 'add_media', correction: { reason: 'missing', factor: 0 } });
  expect(Number(media?.volume_change_ml)).toBeLessThan(0);
  const entries = await unit.liquids.ledger.entries('exp1');
  const kept = entries.filter(
    (entry): entry is Extract<DosingEntry, { kind: 'correction' }> => entry.kind === 'correction',
  );
  expect(kept).toHaveLength(corrections(unit).length);
  const { corrects = 0 } = kept.find(({ event }) => event === 'add_media') ?? {};
  // Entries are counted from 1.
  expect(entries[corrects - 1]).toMatchObject({ kind: 'dose', event: 'add_media' });
}, 120_000);

it('after a resume the evidence starts afresh: dosing continues, and pauses again while nothing arrives', async () => {
  await using unit = await turbidostatWith({ fault: 'media_blocked', readingEveryS: 5 });
  await unit.pass(2.5 * hourS);
  expect(stateOf(unit)).toBe('sleeping');
  const before = exchanges(unit);
  await unit.runtime.update(job, { $state: 'ready' }, 'http');
  await unit.pass(hourS);
  expect(exchanges(unit)).toBeGreaterThan(before);
  expect(exchanges(unit) - before).toBeLessThanOrEqual(3);
  expect(implausible(unit)).toHaveLength(2);
  expect(stateOf(unit)).toBe('sleeping');
}, 120_000);

it('with the policy `warn` it continues, reports once, and corrects the ledger', async () => {
  await using unit = await turbidostatWith({ fault: 'media_blocked', readingEveryS: 30, policy: 'warn' });
  await unit.pass(3 * hourS);
  expect(stateOf(unit)).toBe('ready');
  expect(implausible(unit)).toHaveLength(1);
  const { ledger } = vialOf(unit);
  const known = unit.liquids.ledger.values('exp1');
  expect(Math.abs(known.cumulative_media_added_ml - ledger.media)).toBeLessThan(0.06 * ledger.media + 3.1);
}, 120_000);

it('a blocked waste tube is noticed before much has run over, and the ledger has its volume', async () => {
  await using unit = await turbidostatWith({ fault: 'waste_blocked', readingEveryS: 5 });
  await unit.pass(4.5 * hourS);
  expect(implausible(unit)).toMatchObject([{ data: { disturbance: 'waste_blocked', pump: 'waste_pump' } }]);
  expect(stateOf(unit)).toBe('sleeping');
  const { ledger, volumeMl } = vialOf(unit);
  expect(ledger.spilled).toBeLessThanOrEqual(2.1);
  expect(Math.abs(unit.liquids.ledger.values('exp1').current_volume_ml - volumeMl)).toBeLessThan(1.5);
}, 120_000);

it('with a reading every 120 s, extra readings around exchanges show a blocked waste tube before 2 mL have run over', async () => {
  await using unit = await turbidostatWith({ fault: 'waste_blocked', readingEveryS: 120 });
  await unit.pass(4.5 * hourS);
  expect(implausible(unit)).toMatchObject([{ data: { disturbance: 'waste_blocked', pump: 'waste_pump' } }]);
  expect(stateOf(unit)).toBe('sleeping');
  expect(vialOf(unit).ledger.spilled).toBeLessThanOrEqual(2);
  const atMs = unit.recorded.of('od').map((reading) => reading.atMs);
  const close = atMs.slice(1).filter((moment, index) => moment - (atMs[index] ?? 0) === 5000);
  expect(close.length).toBeGreaterThan(14);
}, 120_000);

it('with a reading every 5 s none is taken beside them', async () => {
  await using unit = await turbidostatWith({ fault: 'waste_blocked', readingEveryS: 5 });
  await unit.pass(2 * hourS);
  const atMs = unit.recorded.of('od').map((reading) => reading.atMs);
  const gaps = atMs.slice(2).map((moment, index) => moment - (atMs[index + 1] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5000);
}, 120_000);

it('where no single exchange shows whether waste leaves, a warning says so, and larger ones go on, within 5 % of the target', async () => {
  const noise = { ...defaultNoise, readingDeviation: 0.019, slowShare: 0 };
  await using unit = await turbidostatWith({ fault: 'waste_blocked', readingEveryS: 60, exchangeMl: 0.5, noise });
  await unit.pass(3 * hourS);
  const volumes = unit.recorded.events
    .map(({ data }) => data)
    .filter(({ event_name }) => event_name === 'DosingStarted')
    .map(({ data }) => Value.Parse(Started, data).media_ml);
  expect(unit.recorded.logs.some((line) => line.startsWith('WARNING'))).toBe(true);
  const large = volumes.slice(volumes.findIndex((volumeMl) => volumeMl > 1));
  expect(large.length).toBeGreaterThan(2);
  expect(Math.min(...large)).toBeGreaterThan(1);
  expect(Math.max(...volumes)).toBeLessThanOrEqual(15 * Math.expm1(2 * 0.048));
}, 120_000);
