import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { altImbalanceMl, applyEntry, defaultVialParameters, imbalanceMl, newBalance } from '@lcs/domain';
import type { JobDefinition } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { defaultPumpCalibrations } from '../../testing/test-ledger.ts';
import { quietVial, type TestUnitOptions, testUnit } from '../../testing/test-unit.ts';
import type { UnitDevices } from '../unit-devices.ts';

const pumps: TestUnitOptions = {
  vial: { ...quietVial, evaporationMlPerHour: 0 },
  start: { volumeMl: 14, od: 0.1, reservoirMl: 1000 },
};
type TestUnit = Awaited<ReturnType<typeof testUnit>>;

const volumeOf = (unit: TestUnit): number => unit.liquids.ledger.values('exp1').current_volume_ml;
const dosings = (unit: TestUnit) => unit.recorded.events.filter(({ name }) => name === 'dosing');
const sumOf = (unit: TestUnit, event: string): number =>
  dosings(unit)
    .filter(({ data }) => data.event === event)
    .reduce((sum, { data }) => sum + Number(data.volume_change_ml), 0);
/** What is in the vial now. */
const truth = (unit: TestUnit) => unit.plant.state(unit.clock.monotonic()).vial.state;
const refused = (cause: string, remediation: unknown = expect.any(String)) => ({
  code: 'pumps_refused',
  body: { error: expect.stringContaining('no pump has run'), cause, remediation, status: 409 },
});
const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };

describe('a dose', () => {
  it('moves the requested volume, and records it in half seconds', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 1, source_of_event: 'UI' }, env });
    await unit.pass(30);
    expect(truth(unit).volumeMl).toBeCloseTo(15, 4);
    expect(volumeOf(unit)).toBeCloseTo(15, 9);
    expect(sumOf(unit, 'add_media')).toBeCloseTo(1, 9);
    expect(dosings(unit)).toHaveLength(Math.ceil(1 / 0.0911 / 0.5));
    expect(Object.keys(dosings(unit)[0]?.data ?? {}).sort()).toEqual([
      'entry',
      'event',
      'job_id',
      'source_of_event',
      'volume_after_ml',
      'volume_before_ml',
      'volume_change_ml',
    ]);
    expect(unit.recorded.states.at(-1)).toBe('add_media disconnected');
    expect(unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data)).toEqual([
      { output: 'media_pump', to: 1, unit: 'mL', source_of_event: 'UI', calibration: 'media-1' },
    ]);
  });

  it('is in the ledger before it is in the vial', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 1 }, env });
    for (let tick = 0; tick < 40; tick += 1) {
      await unit.pass(0.1);
      expect(volumeOf(unit)).toBeGreaterThanOrEqual(truth(unit).volumeMl - 1e-9);
      expect(volumeOf(unit) - truth(unit).volumeMl).toBeLessThan(0.0911 * 0.5 + 1e-6);
    }
  });

  it('by time needs no calibration; by volume it does', async () => {
    await using unit = await testUnit({ ...pumps, pumpCalibrationOf: () => undefined });
    await unit.run('add_media', { options: { duration: 2 }, env });
    await unit.pass(5);
    expect(sumOf(unit, 'add_media')).toBeCloseTo(0.1822, 9);
    await expect(unit.run('add_media', { options: { ml: 1 }, env })).rejects.toMatchObject(
      refused('The media pump is not calibrated.', 'Calibrate it, or run it for a time instead.'),
    );
    expect(unit.recorded.logCount('ERROR')).toBeGreaterThan(0);
    await expect(unit.run('add_alt_media', { options: { continuously: true }, env })).rejects.toMatchObject(
      refused('The alt_media pump is not calibrated.'),
    );
    expect(truth(unit).ledger.altMedia).toBe(0);
  });

  it('of 0 mL does and records nothing', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 0 }, env });
    await unit.pass(1);
    expect(dosings(unit)).toEqual([]);
    expect(unit.recorded.states.at(-1)).toBe('add_media disconnected');
  });

  it('stops within one slice, and takes back what did not come', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 2 }, env });
    await unit.pass(3.2);
    await unit.stop('add_media');
    await unit.pass(5);
    expect(truth(unit).ledger.media).toBeCloseTo(3.2 * 0.0911, 3);
    expect(sumOf(unit, 'add_media')).toBeCloseTo(truth(unit).ledger.media, 6);
    expect(volumeOf(unit)).toBeCloseTo(truth(unit).volumeMl, 6);
    expect(dosings(unit).at(-1)?.data.volume_change_ml).toBeLessThan(0);
  });

  it('continues until it is stopped, or the vial is full', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { continuously: true }, env });
    await unit.pass(120);
    expect(unit.recorded.states.at(-1)).toBe('add_media disconnected');
    expect(volumeOf(unit)).toBeLessThan(18);
    expect(volumeOf(unit)).toBeGreaterThan(17.9);
    expect(truth(unit).volumeMl).toBeCloseTo(volumeOf(unit), 3);
    expect(unit.recorded.logs).not.toEqual([]);
  });

  it('of waste continues for longer than a single run may last, down to the tube', async () => {
    await using unit = await testUnit({ ...pumps, vial: { ...pumps.vial, effluxMl: 14 } });
    await unit.run('remove_waste', { options: { continuously: true }, env });
    await unit.pass(400);
    expect(unit.runtime.running({ jobName: 'remove_waste' })).toHaveLength(1);
    await unit.stop('remove_waste');
    expect(volumeOf(unit)).toBe(14);
    const state = unit.liquids.ledger.stateOf('exp1');
    expect(state.balance.totals.airMl).toBeCloseTo(400 * defaultVialParameters().pumpFlow.waste, 0);
  });

  it('is refused when a second job wants the same pump', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 1 }, env });
    await expect(unit.run('add_media', { options: { ml: 1 }, env })).rejects.toMatchObject(
      refused('Another job runs this pump.', 'Wait until that job is done, or stop it.'),
    );
    await unit.pass(30);
    expect(sumOf(unit, 'add_media')).toBeCloseTo(1, 9);
  });

  it('of two pumps at once is accounted for as it comes', async () => {
    await using unit = await testUnit({ ...pumps, vial: { ...pumps.vial, effluxMl: 14 } });
    await unit.run('add_alt_media', { options: { ml: 1 }, env });
    await unit.run('remove_waste', { options: { ml: 1 }, env });
    await unit.pass(30);
    const { values, totals } = unit.liquids.ledger.stateOf('exp1').balance;
    expect(values.current_volume_ml).toBeCloseTo(truth(unit).volumeMl, 1);
    expect(values.alt_media_fraction).toBeCloseTo(truth(unit).altMediaShare, 2);
    expect(totals.altAddedMl).toBeCloseTo(1, 9);
  });
});

describe('circulation', () => {
  it('keeps the level, and records both ways', async () => {
    await using unit = await testUnit({ ...pumps, vial: { ...pumps.vial, effluxMl: 14 } });
    await unit.run('circulate_media', { options: { duration: 30 }, env });
    await unit.pass(60);
    expect(unit.recorded.states.at(-1)).toBe('circulate_media disconnected');
    expect(sumOf(unit, 'add_media')).toBeCloseTo(30 * 0.85 * 0.0911, 2);
    expect(truth(unit).ledger.media).toBeCloseTo(sumOf(unit, 'add_media'), 2);
    expect(sumOf(unit, 'remove_waste')).toBeGreaterThan(sumOf(unit, 'add_media'));
    expect(volumeOf(unit)).toBeCloseTo(14, 6);
    expect(truth(unit).volumeMl).toBeCloseTo(14, 3);
    // Why is said once for each pump, not with every pulse.
    expect(unit.recorded.events.filter(({ name }) => name === 'actuation')).toHaveLength(2);
  });

  it('ends with both pumps off when it is stopped', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('circulate_alt_media', { options: { duration: 300 }, env });
    await unit.pass(10.3);
    await unit.stop('circulate_alt_media');
    const { altMedia } = truth(unit).ledger;
    await unit.pass(10);
    expect(truth(unit).ledger.altMedia).toBe(altMedia);
    expect(sumOf(unit, 'add_alt_media')).toBeCloseTo(altMedia, 3);
  });
});

describe('a script of pumps', () => {
  it('runs one after the other', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('pumps', { args: ['media', '0.5', 'sleep', '5', '--waste', '0.5', 'media_', '0.2'], env });
    await unit.pass(60);
    expect(sumOf(unit, 'add_media')).toBeCloseTo(0.7, 9);
    expect(sumOf(unit, 'remove_waste')).toBeCloseTo(0.5, 9);
    for (const args of [['media'], ['salt', '1'], ['media', 'x'], ['media', '-1'], []])
      await expect(unit.run('pumps', { args, env })).rejects.toMatchObject({ code: 'job_options_invalid' });
  });

  it('is refused as a whole when one of its pumps cannot be used', async () => {
    await using unit = await testUnit({
      ...pumps,
      pumpCalibrationOf: (device) => (device === 'waste_pump' ? undefined : defaultPumpCalibrations(device)),
    });
    const args = ['media', '0.5', 'sleep', '5', 'waste', '0.5'];
    await expect(unit.run('pumps', { args, env })).rejects.toMatchObject(refused('The waste pump is not calibrated.'));
    expect(truth(unit).ledger.media).toBe(0);
  });
});

describe('the ledger', () => {
  it('has no error after 1,000 doses, and balances', async () => {
    let done = 0;
    const manyDoses = (devices: UnitDevices): JobDefinition => ({
      name: 'many_doses',
      settings: {},
      options: {},
      isActuating: true,
      stopGroup: 'automations',
      start: (context) => {
        const { signal } = new AbortController();
        const doses = async () => {
          const own = devices.pumps.of(context);
          for (; done < 1000; done += 1) {
            const pump = (['media', 'alt_media', 'waste', 'waste'] as const)[done % 4] ?? 'media';
            const amount = { volumeMl: 0.03 + (done % 7) * 0.013 };
            await own.dose(context, { pump, amount, because: { origin: 'test' }, sourceOfEvent: 'test' }, signal);
          }
        };
        return { done: doses() };
      },
    });
    const vial = { ...pumps.vial, effluxMl: 14 };
    await using unit = await testUnit({ ...pumps, vial, alsoJobs: (devices) => [manyDoses(devices)] });
    await unit.run('many_doses');
    while (done < 1000) await unit.pass(60);
    await unit.pass(10);
    const { balance } = unit.liquids.ledger.stateOf('exp1');
    const { volumeMl, ledger, altMediaShare } = truth(unit);
    expect(balance.values.current_volume_ml).toBeCloseTo(volumeMl, 2);
    expect(balance.totals.altAddedMl).toBeCloseTo(ledger.altMedia, 2);
    expect(balance.totals.wasteMl).toBeCloseTo(ledger.waste, 2);
    expect(balance.values.alt_media_fraction).toBeCloseTo(altMediaShare, 3);
    expect(Math.abs(imbalanceMl(balance))).toBeLessThan(1e-9);
    expect(Math.abs(altImbalanceMl(balance))).toBeLessThan(1e-9);
    const recordedMl = sumOf(unit, 'add_media') + sumOf(unit, 'add_alt_media');
    expect(recordedMl).toBeCloseTo(balance.totals.addedMl, 6);
  });

  it('is what its entries come to', async () => {
    await using unit = await testUnit(pumps);
    const start = unit.liquids.ledger.values('exp1');
    await unit.run('add_alt_media', { options: { ml: 0.4 }, env });
    await unit.pass(3.3);
    await unit.stop('add_alt_media');
    await unit.liquids.ledger.set('exp1', { current_volume_ml: 13 });
    await unit.liquids.ledger.applyNotes([{ note_id: 1, kind: 'sample_taken', volume_ml: 2 }]);
    const entries = await unit.liquids.ledger.entries('exp1');
    const folded = entries.reduce(
      (sum, entry) => applyEntry(sum, entry, { capacityMl: 20, bottlesMl: {} }),
      newBalance(start),
    );
    expect(folded).toEqual(unit.liquids.ledger.stateOf('exp1').balance);
    expect(volumeOf(unit)).toBe(11);
  });

  it('takes notes of people as they stand now', async () => {
    await using unit = await testUnit(pumps);
    const { ledger } = unit.liquids;
    const sample = { note_id: 1, kind: 'sample_taken', volume_ml: 2 } as const;
    await ledger.applyNotes([sample, { note_id: 2, kind: 'media_added', volume_ml: 1 }]);
    expect(volumeOf(unit)).toBe(13);
    await ledger.applyNotes([{ ...sample, volume_ml: 1.5 }]);
    expect(volumeOf(unit)).toBe(12.5);
    await ledger.applyNotes([{ ...sample, volume_ml: 1.5 }]);
    await ledger.applyNotes([]);
    expect(volumeOf(unit)).toBe(14);
  });

  it('survives the end of its process during a dose, and records the interruption', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-pumps-'));
    try {
      const before = await testUnit({ ...pumps, folder });
      await before.run('add_media', { options: { ml: 2 }, env });
      await before.pass(4.3);
      // As kill -9 leaves it: nothing is stopped, and nothing is said any more.
      const left = truth(before).volumeMl;
      await using after = await testUnit({ ...pumps, folder });
      const known = volumeOf(after);
      expect(known).toBeGreaterThanOrEqual(left - 1e-9);
      // The guard lets it run half a second beyond what is in the ledger.
      expect(known - left).toBeLessThan(0.0911 * 0.5 + 1e-6);
      const logs = after.liquids.records.filter(({ kind }) => kind === 'log');
      expect(JSON.stringify(logs)).toContain('add_media');
      await before[Symbol.asyncDispose]();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('lets the guard end a pump without renewal, half a second after its ledger entries', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_media', { options: { ml: 2 }, env });
    await unit.pass(4.3);
    const { volumeMl } = truth(unit);
    const accounted = volumeOf(unit);
    unit.silenceGuard();
    await unit.pass(30);
    const after = truth(unit).volumeMl;
    expect(after).toBeGreaterThan(volumeMl);
    expect(after).toBeLessThan(accounted + 0.0911 * 0.5 + 1e-6);
  });

  it('sends the next guard the pump runs of this hour', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-pumps-'));
    try {
      {
        await using first = await testUnit({ ...pumps, folder });
        await first.run('remove_waste', { options: { duration: 1700 }, env });
        await first.pass(1710);
        expect(first.recorded.states.at(-1)).toBe('remove_waste disconnected');
      }
      await using second = await testUnit({ ...pumps, folder });
      await expect(second.run('remove_waste', { options: { duration: 300 }, env })).rejects.toMatchObject(
        refused('This pump has moved as much as it may: at once, or in this hour.'),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('what is published', () => {
  it('shows the values of the vial on retained topics, as plain numbers', async () => {
    await using unit = await testUnit(pumps);
    await unit.run('add_alt_media', { options: { ml: 1 }, env });
    await unit.pass(20);
    const newest = new Map(unit.liquids.published.map((message) => [message.topic, message]));
    const shown = (name: string) => newest.get(`reactor/unit1/exp1/bioreactor/${name}`);
    expect([...newest.keys()].sort()).toEqual(
      [
        'alt_media_fraction',
        'cumulative_alt_media_added_ml',
        'cumulative_media_added_ml',
        'cumulative_waste_removed_ml',
        'current_volume_ml',
        'efflux_tube_volume_ml',
      ].map((name) => `reactor/unit1/exp1/bioreactor/${name}`),
    );
    expect(shown('current_volume_ml')).toMatchObject({ payload: '15', options: { retain: true, qos: 2 } });
    expect(Number(shown('alt_media_fraction')?.payload)).toBeCloseTo(1 / 15, 8);
    const series = unit.liquids.records.filter(({ kind }) => kind === 'sample');
    expect(series.at(-1)).toMatchObject({ series: { source: 'alt_media_fraction' } });
    expect(unit.runtime.topics.readings.latest('liquid_volume')?.value).toBe(15);
  });
});
