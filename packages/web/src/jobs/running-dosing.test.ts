import type { BiomassSignals, LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { dosingNowText, dosingText, waitingDosings } from './running-dosing.ts';

const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.066, biomass_signal: 'od' };
const dosing = (settings: LiveJob['settings'] = turbidostat, more: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit: 'u5',
  experiment: 'a',
  job_name: 'dosing_automation',
  job_id: 1,
  state: 'ready',
  reason: null,
  since: '2026-05-02T09:14:03.120Z',
  settings,
  ...more,
});
const nameOf = (unit: string) => unit;

it('an automation is named with the density that it holds', () => {
  expect(dosingText(turbidostat)).toBe('turbidostat, target 0.066');
  expect(dosingText({ ...turbidostat, biomass_scale: 'od' })).toBe('turbidostat, target 0.066 AU');
  expect(dosingText({ automation_name: 'chemostat', duration: 20 })).toBe('chemostat');
});

describe('a start of readings', () => {
  const waiting = (jobs: readonly string[], running: readonly LiveJob[]) =>
    waitingDosings([{ unit: 'u5', jobs }], nameOf, running);

  it('says that a dosing which waits for them may dose', () => {
    expect(waiting(['od_reading'], [dosing()])).toEqual([
      'Dosing (turbidostat, target 0.066) is on and waits for these readings: it may dose at the first one.',
    ]);
    const onGrowth = dosing({ ...turbidostat, biomass_signal: 'normalized_od' });
    expect(waiting(['growth_rate_calculating'], [onGrowth])).toHaveLength(1);
    // The growth rate that it reads has waited for them, too.
    expect(waiting(['od_reading'], [onGrowth])).toHaveLength(1);
  });

  it('says nothing of what does not wait for them: the stirrer, a paused dosing, one by the clock, one of another unit', () => {
    expect(waiting(['stirring', 'growth_rate_calculating'], [dosing()])).toEqual([]);
    const others = [
      dosing(turbidostat, { state: 'sleeping' }),
      dosing({ automation_name: 'chemostat' }),
      dosing(turbidostat, { reactor_unit: 'u6' }),
    ];
    expect(waiting(['od_reading'], others)).toEqual([]);
  });

  it('on several units names those where it waits, once', () => {
    const starts = ['u4', 'u5', 'u6'].map((unit) => ({ unit, jobs: ['od_reading'] }));
    const [only, ...more] = waitingDosings(starts, nameOf, [dosing(), dosing(turbidostat, { reactor_unit: 'u6' })]);
    expect(only).toMatch(/^u5, u6: Dosing /);
    expect(more).toEqual([]);
  });
});

it('a dosing that does nothing says why: below its target, without a reading, or paused', () => {
  const signals = (value: number | null): BiomassSignals => ({
    configured: 'od',
    automatic: 'od',
    signals: [{ signal: 'od', scale: 'od', value, measured_at: null }],
  });
  expect(dosingNowText(dosing(), signals(0.0604))).toContain('OD 0.0604 is below the target 0.066: nothing to do');
  expect(dosingNowText(dosing(), signals(0.07))).toContain('OD 0.07 is not below');
  expect(dosingNowText(dosing(), signals(null))).toContain('no current reading');
  expect(dosingNowText(dosing(turbidostat, { state: 'sleeping' }), undefined)).toContain('paused');
  expect(dosingNowText(undefined, signals(0.06))).toBeNull();
  expect(dosingNowText(dosing({ automation_name: 'chemostat' }), signals(0.06))).toBeNull();
});
