import { describe, expect, it } from 'vitest';
import { estimator } from '../testing/test-fusion.ts';
import { factsOfUnit, xrFacts } from '../testing/test-session.ts';
import { blockingJobs } from './protocol.ts';
import { availableProtocols, protocolFor } from './protocols.ts';

describe('the protocols of a unit', () => {
  it('are those of its devices', () => {
    expect(availableProtocols(factsOfUnit).map(({ id }) => id)).toEqual([
      'alt_media_pump_priming',
      'alt_media_pump_duration_based',
      'media_pump_priming',
      'media_pump_duration_based',
      'od_blank',
      'od90_standards',
      'stirring_dc_based',
      'temperature_probe_trim',
      'unit_self_test',
      'waste_pump_priming',
      'waste_pump_duration_based',
    ]);
    expect(availableProtocols(xrFacts).map(({ id }) => id)).toEqual([
      'alt_media_pump_priming',
      'alt_media_pump_duration_based',
      'media_pump_priming',
      'media_pump_duration_based',
      'od_blank',
      'od_standards',
      'od135_standards',
      'od45_standards',
      'od90_standards',
      'od_fused_od_fusion_standards',
      'od_fused_od_fusion_offset',
      'stirring_dc_based',
      'temperature_probe_trim',
      'unit_self_test',
      'waste_pump_priming',
      'waste_pump_duration_based',
    ]);
    expect(availableProtocols(factsOfUnit)[0]).toMatchObject({
      description: expect.stringContaining('alt media pump'),
      title: expect.stringContaining('alt media pump'),
    });
  });

  const threeJobs = ['stirring', 'self_test', 'od_reading'];
  it.each([
    ['media_pump', 'duration_based', { pumpChannel: () => undefined }, '[PWM]'],
    ['stirring', 'dc_based', { runningJobs: ['stirring'] }, 'stop it first'],
    ['od90', 'standards', { irLedIntensity: 'auto' as const }, 'automatic'],
    ['od90', 'standards', { runningJobs: ['od_reading', 'stirring'] }, 'od_reading and stirring are running'],
    ['od90', 'standards', { photodiodes: [{ channel: '2', angle: '90' as const }] }, 'reference'],
    ['media_pump', 'priming', { pumpChannel: () => undefined }, '[PWM]'],
    ['media_pump', 'priming', { longestPumpRunS: 0 }, 'choose its model'],
    ['od', 'blank', { experiment: undefined }, 'no experiment'],
    ['od', 'blank', { runningJobs: ['od_reading'] }, 'stop it first'],
    ['od', 'blank', { activeForOd: ['od-cal'] }, 'od-cal in use'],
    ['unit', 'self_test', { runningJobs: ['stirring'] }, 'stirring is running: stop it first.'],
    [
      'unit',
      'self_test',
      { runningJobs: threeJobs },
      'od_reading, stirring and self_test are running: stop them first.',
    ],
    ['od_fused', 'od_fusion_offset', { fusedEstimators: [] }, 'No estimator'],
  ])('of %s (%s) are refused where they cannot be run (%#)', (device, name, changes, cause) => {
    const facts = { ...xrFacts, ...changes };
    expect(protocolFor(device, name, facts)?.refusal(device, facts)).toContain(cause);
    expect(protocolFor(device, name, xrFacts)?.refusal(device, { ...xrFacts, fusedEstimators: [estimator] })).toBe(
      undefined,
    );
  });

  it.each([
    ['od', 'blank', { runningJobs: ['monitor', 'od_reading'] }, ['od_reading']],
    ['unit', 'self_test', { runningJobs: ['stirring', 'monitor', 'od_reading'] }, ['stirring', 'od_reading']],
    ['od', 'blank', { runningJobs: ['od_reading'], activeForOd: ['od-cal'] }, []],
    ['temperature', 'probe_trim', { runningJobs: ['stirring'] }, []],
  ])('of %s (%s) name the running jobs that alone prevent them (%#)', (device, name, changes, jobs) => {
    const facts = { ...factsOfUnit, ...changes };
    const protocol = protocolFor(device, name, facts);
    expect(protocol && blockingJobs(protocol, device, facts)).toEqual(jobs);
  });
});
