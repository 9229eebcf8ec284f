import { describe, expect, it } from 'vitest';
import { fuse } from '../estimators/od-fusion.ts';
import { estimator, fusedBy } from '../testing/test-fusion.ts';
import { lightOf, PlainSession, scaled, signalsAt, xrFacts } from '../testing/test-session.ts';

describe('fused optical density', () => {
  it('is fitted to what a person places', () => {
    const made = fusedBy(1);
    expect(made).toMatchObject({ estimator_name: 'mine', angles: ['45', '90', '135'], ir_led_intensity: 80 });
    for (const od of [0.2, 1, 2, 8]) expect(fuse(made, signalsAt(od))?.concentration).toBeCloseTo(od, od > 4 ? 0 : 1);
  });

  it('is taken over from another unit by two vials', () => {
    let placed = 0;
    const facts = { ...xrFacts, fusedEstimators: [estimator] };
    const session = new PlainSession('od_fused', 'od_fusion_offset', facts, () => ({
      kind: 'od',
      readings: [1, 1, 1, 1].map(() => lightOf(2 * placed)),
    }));
    session.gives();
    expect(session.step.fields[0]?.options).toEqual(['unit2']);
    expect(() => session.gives({ source_unit: 'unit9' })).toThrow('source_unit');
    session.gives({ source_unit: 'unit2' });
    session.gives({});
    session.gives({ estimator_name: 'shifted' });
    session.gives({ rpm: 500 });
    for (const od of [0.2, 2]) {
      placed = od;
      session.gives();
      session.gives({ standard_od: od });
      session.gives();
      if (od === 0.2) expect(session.gives()).toBe('place_standard');
    }
    expect(session.gives()).toBe('complete');
    expect(session.result).toMatchObject({
      source_unit: 'unit2',
      source_estimator: 'est1',
      scale_logc: expect.closeTo(1, 1),
    });
    const [file] = session.files;
    if (file?.kind !== 'estimator') throw new Error('There is no estimator.');
    expect(fuse(file.content, signalsAt(2))?.concentration).toBeCloseTo(1, 1);
  });
});

describe('standards of several angles', () => {
  it('make one calibration of each', () => {
    let placed = 0;
    const session = new PlainSession('od', 'standards', xrFacts, () => ({
      kind: 'od',
      readings: [0.99, 1, 1.01].map((factor) => scaled(lightOf(placed), factor)),
    }));
    session.gives();
    expect(session.gives({})).toBe('channel_confirm');
    session.gives();
    expect(() => session.gives({})).toThrow('rpm: It is missing.');
    session.gives({ rpm: '500' });
    for (const od of [1, 0.5]) {
      placed = od;
      session.gives();
      session.gives({ od600_value: od });
      if (od === 1) {
        expect(session.gives({ action: 'repeat_standard', standard: 1 })).toBe('place_standard');
        session.gives();
        placed = 3;
        session.gives({ od600_value: 3 });
        session.gives({});
        session.gives();
        placed = od;
        session.gives({ od600_value: od });
        expect(() => session.gives({ action: 'drop_standard', standard: 3 })).toThrow('one of the 2');
        expect(session.step.metadata.table?.rows.map(([, value]) => value)).toEqual([3, 1]);
        expect(session.gives({ action: 'drop_standard', standard: 1 })).toBe('another_standard');
      }
      session.gives({ next_action: od === 1 ? 'another standard' : 'go on to the blank' });
    }
    placed = 0;
    session.gives();
    expect(session.gives({ od600_blank: 0 })).toBe('complete');
    expect(session.files.map(({ device }) => device)).toEqual(['od90', 'od135', 'od45']);
    expect(session.files[0]?.content).toMatchObject({
      calibration_name: 'od-cal-2026-11-21',
      angle: '90',
      pd_channel: '2',
      recorded_data: { x: [1, 0.5, 0] },
    });
  });
});
