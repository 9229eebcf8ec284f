import type { EstimatorContent } from '@lcs/contract';
import { expect } from 'vitest';
import { InvalidInput } from '../protocols/protocol.ts';
import { lightOf, noHardware, PlainSession, scaled, xrFacts } from './test-session.ts';

/** An estimator that a session has made. */
function modelOfLight() {
  const made = fusedBy(1);
  const { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales } = made;
  return { angles, mu_splines, sigma_splines_log, min_logc, max_logc, sigma_floor, low_conc_scales };
}

/** Goes through the fusion protocol with vials of known density, seen `times` as dense. */
export function fusedBy(times: number): EstimatorContent {
  let placed = 0;
  const speeds: number[] = [];
  const session = new PlainSession('od_fused', 'od_fusion_standards', xrFacts, (action) => {
    if (action.kind !== 'od') return noHardware();
    speeds.push(...action.readings.speeds);
    return { kind: 'od', readings: [0.98, 1, 1.02, 1].map((factor) => scaled(lightOf(times * placed), factor)) };
  });
  session.gives();
  session.gives({ estimator_name: 'mine' });
  expect(session.gives({ rpm: 500 })).toBe('place_standard');
  for (const od of [0.1, 0.3, 1, 3, 10]) {
    placed = od;
    session.gives();
    session.gives({ od_value: od });
    expect(session.gives()).toBe('remove_observation');
    session.gives();
    if (od === 1) expect(() => session.gives({ another: 'no' })).toThrow(InvalidInput);
    if (od < 10) session.gives({ another: true });
  }
  expect(session.gives({ another: false })).toBe('complete');
  expect(speeds.slice(0, 4)).toEqual([0.9, 1.1, 0.8, 1.2]);
  const [file] = session.files;
  if (file?.kind !== 'estimator') throw new Error('There is no estimator.');
  expect(session.result).toMatchObject({ device: 'od_fused', estimator_name: 'stored', path: 'p' });
  return file.content;
}

export const estimator: EstimatorContent = {
  estimator_type: 'od_fused_estimator',
  estimator_name: 'est1',
  calibrated_on_reactor_unit: 'unit2',
  created_at: '2026-01-01T00:00:00.000Z',
  ir_led_intensity: 80,
  ...modelOfLight(),
  recorded_data: {},
  y: 'log(Voltage)',
};
