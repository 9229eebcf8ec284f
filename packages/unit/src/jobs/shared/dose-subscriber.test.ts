import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentEstimate } from '@lcs/domain';
import type { JobContext, JobDefinition } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { quietVial, type TestUnitOptions, testExperimentUid, testUnit } from '../../testing/test-unit.ts';
import { GrowthRateMemory } from '../growth-rate/growth-rate-memory.ts';
import { passingMemory } from './job-memory.ts';

const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };

/** A job that moves liquid with a pump of its own and reports each dose as a whole, as plugins do. */
function wholeDoses() {
  let context: JobContext | undefined;
  const definition: JobDefinition = {
    name: 'whole_doses',
    settings: {},
    options: {},
    isActuating: false,
    stopGroup: 'rest',
    start: (own) => {
      context = own;
      return {};
    },
  };
  const dose = (event: string, volume_change_ml: number): void =>
    context?.event({ name: 'dosing', data: { event, volume_change_ml, source_of_event: 'plugin' } });
  return { definition, dose };
}

/** A unit whose growth filter is warm, with 14 mL in its vial. */
async function warmUnit(options: TestUnitOptions = {}) {
  const memory = passingMemory();
  const plugin = wholeDoses();
  const unit = await testUnit({
    vial: { ...quietVial, evaporationMlPerHour: 0 },
    start: { volumeMl: 14, od: 0.2, reservoirMl: 1000 },
    ...options,
    devices: { memory, ...options.devices },
    alsoJobs: () => [plugin.definition],
  });
  await unit.run('whole_doses', { env });
  await unit.run('growth_rate_calculating', { env });
  for (let reading = 0; reading < 40; reading += 1) {
    await unit.pass(5);
    const value = 0.2 + 0.0001 * (reading % 3);
    unit.runtime.topics.readings.publish('od/2', { source: 'od', channel: '2', value, atMs: unit.clock.now() });
  }
  const level = (): number => {
    const { running } = new GrowthRateMemory(memory, testExperimentUid).read();
    return running === null ? Number.NaN : currentEstimate(running).level;
  };
  /** The share to which the filter thins the culture while `work` is done. */
  const shareAfter = async (work: () => unknown): Promise<number> => {
    await unit.stop('growth_rate_calculating');
    const before = level();
    await unit.run('growth_rate_calculating', { env });
    await work();
    await unit.stop('growth_rate_calculating');
    const after = level();
    await unit.run('growth_rate_calculating', { env });
    return Math.exp(after - before);
  };
  const volumeMl = () => unit.liquids.ledger.values('exp1').current_volume_ml;
  return { unit, plugin, shareAfter, volumeMl };
}

describe('the dilution that a dose makes', () => {
  it('is that of the volume before it, for a dose reported as a whole', async () => {
    const { unit, plugin, shareAfter, volumeMl } = await warmUnit();
    await using _unit = unit;
    expect(await shareAfter(() => plugin.dose('add_media', 1))).toBeCloseTo(14 / 15, 6);
    expect(volumeMl()).toBeCloseTo(15, 9);
    expect(await shareAfter(() => plugin.dose('remove_waste', 1))).toBeCloseTo(1, 6);
    expect(volumeMl()).toBeCloseTo(14, 9);
    expect(await shareAfter(() => plugin.dose('add_alt_media', 2))).toBeCloseTo(14 / 16, 6);
  });

  it('is that of the volume before it, for a dose pumped in half seconds', async () => {
    const { unit, shareAfter } = await warmUnit();
    await using _unit = unit;
    const pumped = (job: string, ml: number) => async () => {
      await unit.run(job, { options: { ml }, env });
      await unit.pass(60);
    };
    expect(await shareAfter(pumped('add_media', 1))).toBeCloseTo(14 / 15, 6);
    expect(await shareAfter(pumped('remove_waste', 1))).toBeCloseTo(1, 6);
    expect(await shareAfter(pumped('add_alt_media', 1))).toBeCloseTo(14 / 15, 6);
  });

  it('is taken back with what did not come', async () => {
    const { unit, shareAfter, volumeMl } = await warmUnit();
    await using _unit = unit;
    const cut = await shareAfter(async () => {
      await unit.run('add_media', { options: { ml: 1 }, env });
      await unit.pass(1.2);
      await unit.stop('add_media');
    });
    expect(volumeMl()).toBeLessThan(14.5);
    expect(cut).toBeCloseTo(14 / volumeMl(), 6);
  });

  it('is the same after a restart of the unit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-doses-'));
    try {
      {
        const { unit, plugin } = await warmUnit({ folder });
        await using _unit = unit;
        plugin.dose('add_media', 1);
        await unit.pass(1);
      }
      const { unit, plugin, shareAfter } = await warmUnit({ folder });
      await using _unit = unit;
      expect(await shareAfter(() => plugin.dose('add_media', 1))).toBeCloseTo(15 / 16, 6);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('counts what a person has just put in by hand, once, and not what was put in long ago', async () => {
    const { unit, shareAfter, volumeMl } = await warmUnit();
    await using _unit = unit;
    const { ledger } = unit.liquids;
    const note = (note_id: number, volume_ml: number, agoMs: number) => {
      const at = unit.clock.now() - agoMs;
      return { note_id, kind: 'media_added' as const, volume_ml, at };
    };
    const first = note(1, 1, 5_000);
    expect(await shareAfter(() => ledger.applyNotes([first]))).toBeCloseTo(14 / 15, 6);
    expect(unit.recorded.events.findLast(({ name }) => name === 'dosing')?.data).toMatchObject({
      event: 'add_media',
      volume_before_ml: 14,
      volume_after_ml: 15,
    });
    expect(await shareAfter(() => ledger.applyNotes([first]))).toBeCloseTo(1, 6);
    expect(await shareAfter(() => ledger.applyNotes([first, note(2, 1, 3_600_000)]))).toBeCloseTo(1, 6);
    expect(volumeMl()).toBeCloseTo(16, 9);
  });

  it('is nothing for liquid that flows into a glass', async () => {
    const { unit, shareAfter } = await warmUnit();
    await using _unit = unit;
    const calibrating = {
      name: 'dosing',
      data: { event: 'add_media', volume_change_ml: 5, source_of_event: 'pump_calibration' },
    };
    const job = {
      jobId: 900,
      jobName: 'pump_calibration',
      experiment: 'exp1',
      experimentUid: testExperimentUid,
      jobSource: 'user',
    };
    expect(await shareAfter(() => unit.liquids.event(job, calibrating))).toBeCloseTo(1, 6);
  });
});
