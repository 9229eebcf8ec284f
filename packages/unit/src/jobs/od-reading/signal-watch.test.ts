import { describe, expect, it } from 'vitest';
import { testUnit } from '../../testing/test-unit.ts';

const culture = { start: { volumeMl: 15, od: 0.4, reservoirMl: 1000 }, oversampling: 'closed_form' } as const;

describe('the flags of optical readings', () => {
  it.each([
    ['vial_removed', 'vial_out'],
    ['bubbles', 'bubbles'],
  ] as const)(
    '%s: readings continue with the flag %s, with one log entry at its begin and one at its end',
    async (fault, flag) => {
      await using unit = await testUnit({ ...culture, vial: { faults: [{ fault, fromS: 900, untilS: 1500 }] } });
      await unit.run('stirring');
      await unit.run('od_reading');
      await unit.pass(3000);
      for (const source of ['od', 'raw_od']) {
        const readings = unit.recorded.of(source);
        expect(readings.length).toBeGreaterThan(590);
        expect(readings.filter(({ flags = [] }) => flags.includes(flag)).length).toBeGreaterThan(80);
        expect(readings.at(-1)?.flags).toEqual([]);
      }
      const events = unit.recorded.events.filter(({ name }) => name === 'signal_quality');
      expect(events.map(({ data }) => data)).toEqual([
        { channel: '2', angle: 90, flag, begins: true },
        { channel: '2', angle: 90, flag, begins: false },
      ]);
      expect(unit.recorded.logCount('WARNING')).toBe(1);
    },
  );

  it('logs the end of a calibration’s range', async () => {
    const calibration = {
      name: 'short',
      hash: '00',
      y: 'Voltage',
      irLedIntensity: null,
      channel: null,
      inverse: () => ({ x: 0.1, isOutOfRange: true, isLowerBound: false }),
      shownFor: (x: number) => x,
      dutyFor: () => undefined,
    };
    await using unit = await testUnit({ ...culture, devices: { calibrationOf: () => calibration } });
    await unit.run('od_reading');
    await unit.pass(12);
    expect(unit.recorded.of('od').at(-1)?.flags).toEqual(['out_of_range']);
    expect(unit.recorded.of('raw_od').at(-1)?.flags).toEqual([]);
    expect(unit.recorded.setting('od_reading/calibrated_od2')).toMatchObject({ od: 0.1, flags: ['out_of_range'] });
    expect(unit.recorded.setting('od_reading/raw_od2')).not.toHaveProperty('flags');
  });

  it('have the noise of the signal', async () => {
    await using unit = await testUnit(culture);
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(60);
    expect(unit.recorded.setting('od_reading/signal_noise')).toMatchObject({ signal_noise: { '2': null } });
    await unit.pass(300);
    expect(unit.recorded.setting('od_reading/signal_noise')).toMatchObject({
      signal_noise: { '2': expect.closeTo(0.006, 2) },
      timestamp: expect.stringContaining('Z'),
    });
  });

  it('publishes a jump of the reference, and flags the reading', async () => {
    await using unit = await testUnit({
      ...culture,
      vial: { faults: [{ fault: 'reference_drift', fromS: 300, untilS: 9999 }] },
    });
    await unit.run('od_reading');
    await unit.pass(600);
    const events = unit.recorded.events.filter(({ name }) => name === 'reference_unstable');
    expect(events.length).toBeGreaterThan(0);
    expect(events[0]?.data.relative_intensity).toBeGreaterThan(1.1);
    expect(unit.recorded.of('od').filter(({ flags = [] }) => flags.includes('reference_unstable'))).toHaveLength(
      events.length,
    );
  });

  it('takes a dose for a dose', async () => {
    await using unit = await testUnit(culture);
    await unit.run('stirring');
    await unit.run('od_reading');
    await unit.pass(600);
    unit.runtime.topics.events.publish('dosing', {
      name: 'dosing',
      data: { event: 'add_media', volume_change_ml: 100, volume_before_ml: 15 },
    });
    await unit.pass(10);
    // The vial was not thinned at all: what was expected of it is far lower now, and nothing is missing.
    expect(unit.recorded.events.filter(({ name }) => name === 'signal_quality')).toEqual([]);
  });
});
