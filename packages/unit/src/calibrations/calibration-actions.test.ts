import { photodiodeVolts } from '@lcs/domain';
import { board12 } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../jobs/test-unit.ts';
import { CalibrationActions } from './calibration-actions.ts';

/** A board with four photodiodes, as XR reactors have it. */
const layout = { ...board12, photodiodes: { 1: 0x48, 2: 0x49, 3: 0x4a, 4: 0x4b } };
const config = { 'od_config.photodiode_channel': { 1: 'REF', 2: '90', 3: '135', 4: '45' } };
const od = 0.5;

async function unitWithActions() {
  let ids = 0;
  const made: { actions?: CalibrationActions } = {};
  const unit = await testUnit({
    layout,
    config,
    vial: quietVial,
    start: { volumeMl: 15, od, reservoirMl: 1000 },
    alsoJobs: (devices) => {
      made.actions = new CalibrationActions({
        devices: () => devices,
        runtime: () => unit.runtime,
        experiment: () => 'exp1',
        newId: () => `ticket ${++ids}`,
      });
      return made.actions.definitions;
    },
  });
  const { actions } = made;
  if (actions === undefined) throw new Error('There are no actions.');
  return { unit, actions };
}

describe('work of calibration sessions', () => {
  it('reads all photodiodes as they truly are, while it stirs, and leaves everything off', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const readings = { discarded: 3, speeds: [0.9, 1.1, 0.8, 1.2], spacingS: 2 };
    const told: number[] = [];
    const work = actions.run('s1', { kind: 'od', rpm: 500, readings }, (fraction) => told.push(fraction));
    await unit.pass(120);
    const result = await work;
    if (result.kind !== 'od') throw new Error(result.kind);
    expect(result.readings).toHaveLength(4);
    for (const reading of result.readings) {
      for (const [channel, angle] of [
        ['2', '90'],
        ['3', '135'],
        ['4', '45'],
      ] as const)
        expect(Math.abs((reading[channel] ?? 0) / photodiodeVolts(angle, od) - 1)).toBeLessThan(0.05);
    }
    expect(told.at(-1)).toBe(1);
    await unit.pass(5);
    expect(unit.board.levels.led).toEqual({ A: 0, B: 0, C: 0, D: 0 });
    expect(unit.board.levels.pwm[1]).toBe(0);
    expect(unit.runtime.running()).toEqual([]);
  });

  it('fails when the stirrer does not turn, with everything off', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const readings = { discarded: 0, speeds: [1], spacingS: 1 };
    const work = actions.run('s1', { kind: 'od', rpm: 5_000, readings }, () => {});
    const failed = expect(work).rejects.toThrow('does not come near 5000 RPM');
    await unit.pass(200);
    await failed;
    await unit.pass(1);
    expect(unit.board.levels.pwm[1]).toBe(0);
  });

  it('ends with its session', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const work = actions.run('s1', { kind: 'stirring', lowestDuty: 20, highestDuty: 40 }, () => {});
    const ended = expect(work).rejects.toThrow();
    await unit.pass(5);
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
    await actions.stop('another');
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
    await actions.stop('s1');
    await ended;
    expect(unit.board.levels.pwm[1]).toBe(0);
    expect(unit.runtime.running()).toEqual([]);
  });

  it('tells what the temperature automation estimates before any trim, while that measures', async () => {
    const { unit, actions } = await unitWithActions();
    await using _ = unit;
    const early = expect(actions.run('s1', { kind: 'temperature' }, () => {})).rejects.toThrow('has not measured');
    await unit.pass(1);
    await early;
    await unit.run('temperature_automation', { options: { automation_name: 'only_record_temperature' } });
    await unit.pass(600);
    const work = actions.run('s1', { kind: 'temperature' }, () => {});
    await unit.pass(1);
    expect(await work).toEqual({ kind: 'temperature', estimatedC: unit.heard.values('temperature').at(-1) });
    await unit.stop('temperature_automation');
    const late = expect(actions.run('s1', { kind: 'temperature' }, () => {})).rejects.toThrow('has not measured');
    await unit.pass(1);
    await late;
  });
});
