import { allOff } from '@lcs/hardware';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';
import type { Calibration } from '../shared/calibration.ts';

const medium = { start: { volumeMl: 15, od: 0.02, reservoirMl: 1000 } };

const calibration: Calibration = {
  name: 'od90_nov',
  hash: '9f1c22aa07d14e55',
  y: 'Voltage',
  irLedIntensity: null,
  channel: null,
  inverse: (volts) => ({ x: volts, isOutOfRange: false, isLowerBound: false }),
  shownFor: (x) => x,
  dutyFor: () => undefined,
};

describe('od_blank', () => {
  it('measures the medium, and od_reading takes it away and records that it did', async () => {
    await using unit = await testUnit({ vial: quietVial, ...medium });
    await unit.run('od_blank');
    await unit.pass(180);
    expect(unit.recorded.states.at(-1)).toBe('od_blank disconnected');
    expect(unit.board.levels).toEqual(allOff);
    const [blank] = unit.recorded.of('od_blank');
    expect(blank).toMatchObject({ channel: '2', angle: 90, context: { ir_led_intensity: 80 } });
    expect(unit.recorded.settings.filter(([name]) => name === 'od_blank/means')).toEqual([
      ['od_blank/means', { '2': blank?.value }],
    ]);
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(20);
    const [raw, od] = [unit.recorded.of('raw_od').at(-1), unit.recorded.of('od').at(-1)];
    expect(od?.value).toBeCloseTo((raw?.value ?? 0) - (blank?.value ?? 0), 12);
    expect(od?.context).toEqual({
      ir_led_intensity: 80,
      calibration_name: 'od_blank',
      calibration_hash: expect.any(String),
    });
    expect(raw?.context).toEqual({ ir_led_intensity: 80 });
    expect(unit.recorded.setting('od_reading/od2')).toMatchObject({ calibrated: 0, od: od?.value });
    expect(unit.recorded.setting('od_reading/raw_od2')).toMatchObject({ calibrated: 0, od: raw?.value });
    expect(unit.recorded.setting('od_reading/ods')).toMatchObject({ ods: { '2': { calibrated: 0, od: od?.value } } });
  });

  it('is forgotten when it is deleted', async () => {
    await using unit = await testUnit({ vial: quietVial, ...medium });
    await unit.run('od_blank', { options: { n_samples: 5 } });
    await unit.pass(120);
    await unit.run('od_blank', { args: ['delete'] });
    expect(unit.recorded.setting('od_blank/means')).toBeNull();
    const blanks = unit.recorded.events.filter(({ name }) => name === 'od_blank');
    expect(blanks.map(({ data }) => data)).toMatchObject([{ means: { '2': expect.any(Number) } }, { means: null }]);
    await unit.run('od_reading');
    await unit.pass(20);
    expect(unit.recorded.values('od').at(-1)).toBe(unit.recorded.values('raw_od').at(-1));
  });

  it('keeps an OD below the blank, and warns when that is no noise', async () => {
    await using unit = await testUnit({
      vial: { ...quietVial, faults: [{ fault: 'vial_removed', fromS: 200, untilS: 999 }] },
      ...medium,
    });
    await unit.run('od_blank', { options: { n_samples: 5 } });
    await unit.pass(210);
    await unit.run('od_reading');
    await unit.pass(20);
    expect(Math.max(...unit.recorded.values('od'))).toBeLessThan(0);
    expect(unit.recorded.of('od').length).toBe(unit.recorded.of('raw_od').length);
    const warnings = () => unit.recorded.logs.filter((line) => line.startsWith('WARNING') && line.includes('blank'));
    expect(warnings()).toEqual([]);
    await unit.pass(60);
    expect(warnings()).toHaveLength(1);
  });

  it('leaves a stirrer that turns already to its job', async () => {
    await using unit = await testUnit({ vial: quietVial, ...medium });
    await unit.run('stirring');
    await unit.run('od_blank', { options: { n_samples: 5 } });
    await unit.pass(60);
    expect(unit.recorded.of('od_blank')).toHaveLength(1);
    expect(unit.board.levels.pwm[1]).toBeGreaterThan(0);
  });

  it('is refused while the optical density is read, or where a calibration is active', async () => {
    await using unit = await testUnit();
    await unit.run('od_reading');
    await expect(unit.run('od_blank')).rejects.toMatchObject({ code: 'job_excluded' });
    await using other = await testUnit({ devices: { calibrationOf: () => calibration } });
    await expect(other.run('od_blank')).rejects.toMatchObject({
      code: 'blank_and_calibration',
    });
  });

  it('does not go together with a calibration', async () => {
    let active: Calibration | undefined;
    await using unit = await testUnit({ ...medium, devices: { calibrationOf: () => active } });
    await unit.run('od_blank', { options: { n_samples: 5 } });
    await unit.pass(120);
    active = calibration;
    await expect(unit.run('od_reading')).rejects.toMatchObject({
      code: 'blank_and_calibration',
    });
  });
});
