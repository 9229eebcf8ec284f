import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { builtInJobs } from './built-in-jobs.ts';
import { dependentJobs, type RunningJob, withoutStopped } from './dependent-jobs.ts';

const running = (name: string, settings: Record<string, Json> = {}): RunningJob => {
  const job = builtInJobs.find((each) => each.name === name);
  const variant = job?.variants?.[String(settings.automation_name)];
  return { name, settings, usesJobs: [...(job?.usesJobs ?? []), ...(variant?.usesJobs ?? [])] };
};
const dosing = (automation: string, signal?: string): RunningJob =>
  running('dosing_automation', {
    automation_name: automation,
    ...(signal !== undefined && { biomass_signal: signal }),
  });
const names = (job: string, all: readonly RunningJob[]) => dependentJobs(job, all).map(({ name }) => name);

describe('the jobs that need a running job', () => {
  const measured = [running('stirring'), running('od_reading'), running('growth_rate_calculating')];
  const chain = [...measured, running('temperature_automation', { automation_name: 'thermostat' })];

  it('are all that follow it, the last one of the chain first', () => {
    const all = [...chain, dosing('turbidostat', 'normalized_od')];
    expect(names('stirring', all)).toEqual([
      'dosing_automation',
      'growth_rate_calculating',
      'od_reading',
      'temperature_automation',
    ]);
    expect(names('growth_rate_calculating', all)).toEqual(['dosing_automation']);
    expect(names('dosing_automation', all)).toEqual([]);
    expect(names('temperature_automation', all)).toEqual([]);
  });

  it('follow from the biomass signal of a turbidostat', () => {
    const all = [...chain, dosing('turbidostat', 'od')];
    expect(names('growth_rate_calculating', all)).toEqual([]);
    expect(names('od_reading', all)).toContain('dosing_automation');
    expect(names('my_sensor', [dosing('turbidostat', 'my_sensor/density')])).toEqual(['dosing_automation']);
  });

  it('are those that read the growth rate, but not those that dose by the clock', () => {
    expect(names('growth_rate_calculating', [...chain, dosing('pid_morbidostat')])).toEqual(['dosing_automation']);
    expect(names('stirring', [...chain, dosing('chemostat')])).toEqual([
      'growth_rate_calculating',
      'od_reading',
      'temperature_automation',
    ]);
  });

  it('only count while they run, and may be those of plugins, even in a circle', () => {
    const plugin = { name: 'air', settings: {}, usesJobs: ['od_reading', 'other'] };
    const other = { name: 'other', settings: {}, usesJobs: ['air'] };
    expect(names('stirring', [dosing('turbidostat', 'normalized_od')])).toEqual([]);
    expect(new Set(names('od_reading', [plugin, other]))).toEqual(new Set(['air', 'other']));
  });

  it('wait where their values end, and go on with doubtful ones where only these are worse', () => {
    const all = [...chain, dosing('turbidostat', 'normalized_od')];
    const effects = (job: string, jobs: readonly RunningJob[]) =>
      Object.fromEntries(
        withoutStopped(
          job,
          dependentJobs(job, jobs),
          (name) => builtInJobs.find((each) => each.name === name)?.withoutUsed,
        ),
      );
    expect(effects('od_reading', all)).toEqual({ growth_rate_calculating: 'waits', dosing_automation: 'waits' });
    expect(effects('stirring', all)).toEqual({
      od_reading: 'goes on',
      growth_rate_calculating: 'goes on',
      temperature_automation: 'goes on',
      dosing_automation: 'goes on',
    });
    // A plugin does not say what it does.
    expect(effects('od_reading', [{ name: 'air', settings: {}, usesJobs: ['od_reading'] }])).toEqual({
      air: undefined,
    });
  });

  it('are each looked at once, also when all of many jobs need each other', () => {
    const circle = Array.from({ length: 30 }, (_, index) => `plugin${index}`);
    const all = circle.map((name) => ({ name, settings: {}, usesJobs: ['od_reading', ...circle] }));
    expect(names('od_reading', all).toSorted()).toEqual(circle.toSorted());
  });
});
