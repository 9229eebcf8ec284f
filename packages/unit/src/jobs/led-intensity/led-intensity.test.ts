import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';
import { passingMemory } from '../shared/job-memory.ts';

type TestUnit = Awaited<ReturnType<typeof testUnit>>;

const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };
const still = { vial: quietVial };
const set = (unit: TestUnit, options: Record<string, unknown>) => unit.run('led_intensity', { options, env });
/** Percent, as the driver has it: in 255 steps. */
const levels = ({ board }: TestUnit) =>
  Object.fromEntries(Object.entries(board.levels.led).map(([led, percent]) => [led, Math.round(percent)]));
const changes = (unit: TestUnit) =>
  unit.recorded.events.filter(({ name }) => name === 'led_change').map(({ data }) => data);
const actuations = (unit: TestUnit) =>
  unit.recorded.events.filter(({ name }) => name === 'actuation').map(({ data }) => data);
const running = (unit: TestUnit) => unit.runtime.running({ jobName: 'led_intensity' }).length;

describe('led_intensity', () => {
  it('sets the LEDs that are named, leaves the others, and is one running job while one of them shines', async () => {
    await using unit = await testUnit(still);
    await set(unit, { B: 20, source_of_event: 'UI' });
    await set(unit, { C: 5, D: 7, source_of_event: 'UI' });
    await unit.pass(1);
    expect(levels(unit)).toEqual({ A: 0, B: 20, C: 5, D: 7 });
    expect(running(unit)).toBe(1);
    await set(unit, { B: 0, C: 0 });
    await unit.pass(1);
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 7 });
    expect(running(unit)).toBe(1);
    await set(unit, { D: 0 });
    await unit.pass(1);
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    expect(running(unit)).toBe(0);
  });

  it('records each change with its source; a silent one is not logged', async () => {
    await using unit = await testUnit(still);
    await set(unit, { B: 20, source_of_event: 'UI' });
    expect(changes(unit)).toEqual([{ channel: 'B', intensity: 20, source_of_event: 'UI' }]);
    expect(actuations(unit)).toEqual([{ output: 'led_B', from: 0, to: 20, unit: '%', source_of_event: 'UI' }]);
    await set(unit, { C: 1, no_log: true });
    expect(changes(unit)).toHaveLength(1);
    expect(actuations(unit)).toHaveLength(2);
    expect(actuations(unit).at(-1)).toMatchObject({ output: 'led_C', to: 1, source_of_event: 'CLI' });
  });

  it('is dark again when it is stopped, with an event', async () => {
    await using unit = await testUnit(still);
    await set(unit, { B: 20 });
    await unit.stop('led_intensity');
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    expect(changes(unit).at(-1)).toMatchObject({ channel: 'B', intensity: 0 });
    expect(actuations(unit).at(-1)).toMatchObject({ from: 20, to: 0, rule: 'The job was stopped.' });
  });

  it('refuses what no LED can do', async () => {
    await using unit = await testUnit(still);
    for (const options of [{ B: 101 }, { B: -1 }, { E: 1 }])
      await expect(set(unit, options)).rejects.toMatchObject({ code: 'job_options_invalid' });
  });

  it('that could not begin lights nothing with the next order', async () => {
    await using unit = await testUnit(still);
    await set(unit, { B: 20 });
    unit.faults.set('i2c', { kind: 'absent' });
    await expect(set(unit, { C: 5 })).rejects.toMatchObject({ code: 'job_failed' });
    unit.faults.clear('i2c');
    await unit.pass(30);
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    await set(unit, { D: 7 });
    await unit.pass(1);
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 7 });
  });

  it('is dark while the optical density is read, and shines between', async () => {
    await using unit = await testUnit(still);
    await unit.run('od_reading', { env });
    await unit.pass(12);
    await set(unit, { B: 20, A: 50 });
    const seen: number[] = [];
    for (let tenth = 0; tenth < 200; tenth += 1) {
      await unit.pass(0.1);
      if (unit.board.levels.led.A > 0) expect(unit.board.levels.led.B).toBe(0);
      seen.push(Math.round(unit.board.levels.led.B));
    }
    expect(seen.filter((level) => level === 20).length).toBeGreaterThan(120);
    expect(seen.filter((level) => level === 0).length).toBeGreaterThan(10);
    // The light of the readings is theirs.
    expect(unit.recorded.logs).not.toEqual([]);
    expect(changes(unit)).toHaveLength(1);
    await expect(set(unit, { A: 50 })).rejects.toMatchObject({ code: 'job_failed' });
  });

  it('gives the infrared LED back when the optical density is to be read', async () => {
    await using unit = await testUnit(still);
    await set(unit, { A: 50, B: 10 });
    expect(levels(unit)).toMatchObject({ A: 50, B: 10 });
    await unit.run('od_reading', { env });
    await unit.pass(30);
    expect(unit.recorded.values('od').length).toBeGreaterThan(2);
    expect(running(unit)).toBe(1);
    expect(unit.recorded.logCount('ERROR')).toBe(0);
  });
});

describe('LEDs set by hand, after a power cut', () => {
  /** A unit that works, is cut off, and is there again. */
  async function afterCut(work: (unit: TestUnit) => Promise<unknown>, check: (unit: TestUnit) => Promise<unknown>) {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-leds-'));
    const more = { ...still, folder, devices: { memory: passingMemory() } };
    try {
      {
        await using unit = await testUnit(more);
        await work(unit);
      }
      await using unit = await testUnit(more);
      expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
      for (const cut of unit.runtime.interrupted) await unit.runtime.resume(cut);
      await check(unit);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('are lit again as they were, by however many orders', () =>
    afterCut(
      async (unit) => {
        await set(unit, { B: 20 });
        await set(unit, { C: 5, D: 7 });
        await set(unit, { D: 0 });
      },
      async (unit) => {
        expect(levels(unit)).toEqual({ A: 0, B: 20, C: 5, D: 0 });
        expect(running(unit)).toBe(1);
        await set(unit, { B: 0, C: 0 });
        await unit.pass(1);
        expect(running(unit)).toBe(0);
      },
    ));

  it('stay dark where the action was stopped before', () =>
    afterCut(
      async (unit) => {
        await set(unit, { B: 20 });
        await unit.stop('led_intensity');
      },
      async (unit) => {
        expect(unit.runtime.interrupted).toEqual([]);
        expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
      },
    ));

  it('leave to an automation what it has taken', () =>
    afterCut(
      async (unit) => {
        await set(unit, { B: 20, D: 50 });
        const options = { automation_name: 'light_dark_cycle', light_intensity: 30 };
        await unit.run('led_automation', { options, env });
        await unit.pass(60);
      },
      async (unit) => {
        await unit.pass(1);
        expect(levels(unit)).toEqual({ A: 0, B: 20, C: 30, D: 30 });
      },
    ));
});

describe('led_automation', () => {
  const cycle = (unit: TestUnit, options: Record<string, unknown> = {}) =>
    unit.run('led_automation', {
      options: {
        automation_name: 'light_dark_cycle',
        light_intensity: 30,
        light_duration_minutes: 10,
        dark_duration_minutes: 5,
        ...options,
      },
      env,
    });
  const update = (unit: TestUnit, values: Parameters<TestUnit['runtime']['update']>[1]) =>
    unit.runtime.update({ jobName: 'led_automation' }, values, 'http');

  it('switches D and C on and off at the exact moment, with the reason', async () => {
    await using unit = await testUnit(still);
    await cycle(unit);
    await unit.pass(1);
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 30, D: 30 });
    await unit.pass(598.9);
    expect(levels(unit)).toMatchObject({ C: 30, D: 30 });
    await unit.pass(0.2);
    expect(levels(unit)).toMatchObject({ C: 0, D: 0 });
    await unit.pass(300);
    expect(levels(unit)).toMatchObject({ C: 30, D: 30 });
    expect(actuations(unit)[0]).toMatchObject({
      output: 'led_D',
      from: 0,
      to: 30,
      source_of_event: 'led_automation:light_dark_cycle',
      rule: expect.stringContaining('first 10'),
      settings: { light_intensity: 30, light_duration_minutes: 10, dark_duration_minutes: 5 },
    });
    expect(unit.recorded.setting('led_automation/latest_event')).toMatchObject({ event_name: 'ChangedLedIntensity' });
    await unit.stop('led_automation');
    expect(levels(unit)).toEqual({ A: 0, B: 0, C: 0, D: 0 });
  });

  it('takes over new settings at once, counted from its start', async () => {
    await using unit = await testUnit(still);
    await cycle(unit);
    await unit.pass(240);
    await update(unit, { light_intensity: 10 });
    await unit.pass(0.1);
    expect(levels(unit)).toMatchObject({ C: 10, D: 10 });
    await update(unit, { light_duration_minutes: 3 });
    await unit.pass(0.1);
    expect(levels(unit)).toMatchObject({ C: 0, D: 0 });
    const intervals = unit.recorded.events.filter(({ name }) => name === 'automation_settings').map(({ data }) => data);
    expect(intervals).toHaveLength(5);
    expect(intervals.at(-1)).toMatchObject({
      kind: 'led',
      automation_name: 'light_dark_cycle',
      ended_at: null,
      settings: { light_intensity: 10, light_duration_minutes: 3, dark_duration_minutes: 5 },
    });
  });

  it('leaves the LEDs as they are while it sleeps, and knows the hour when it wakes', async () => {
    await using unit = await testUnit(still);
    await cycle(unit);
    await unit.pass(60);
    await update(unit, { $state: 'sleeping' });
    await unit.pass(700);
    expect(levels(unit)).toMatchObject({ C: 30, D: 30 });
    await update(unit, { $state: 'ready' });
    expect(levels(unit)).toMatchObject({ C: 0, D: 0 });
  });

  it('has an LED back that was set by hand, at its next change', async () => {
    await using unit = await testUnit(still);
    await cycle(unit);
    await unit.pass(60);
    await set(unit, { D: 1 });
    expect(levels(unit)).toMatchObject({ C: 30, D: 1 });
    await unit.pass(600);
    expect(levels(unit)).toMatchObject({ C: 0, D: 0 });
    await unit.pass(300);
    expect(levels(unit)).toMatchObject({ C: 30, D: 30 });
    expect(running(unit)).toBe(0);
  });

  it('is lit soon after a fault has passed in which it could not be switched on', async () => {
    await using unit = await testUnit(still);
    await cycle(unit, { light_duration_minutes: 480 });
    await unit.pass(1);
    unit.faults.set('i2c', { kind: 'absent' });
    await update(unit, { light_intensity: 40 });
    await unit.pass(20);
    expect(unit.recorded.logCount('WARNING')).toBeGreaterThan(0);
    unit.faults.clear('i2c');
    await unit.pass(65);
    expect(levels(unit)).toMatchObject({ C: 40, D: 40 });
    const changes = unit.recorded.events.filter(({ data }) => data.event_name === 'ChangedLedIntensity');
    expect(changes.at(-1)?.data).toMatchObject({ data: { intensity: 40 } });
    expect(changes).toHaveLength(2);
  });

  it('silent leaves them as they are', async () => {
    await using unit = await testUnit(still);
    await set(unit, { B: 3 });
    await unit.run('led_automation', { options: { automation_name: 'silent' }, env });
    await unit.pass(100);
    expect(levels(unit)).toMatchObject({ B: 3 });
  });
});
