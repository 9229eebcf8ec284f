import type { Json, LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import type { ShownJob } from '../jobs/job-catalog.ts';
import { columnTitle, matrixCell, runningOn, sharedSettings, startableOf } from './matrix-cells.ts';

const experiment = 'e';
const job = (
  reactor_unit: string,
  job_name: string,
  state: LiveJob['state'] = 'ready',
  settings: Record<string, Json> = {},
): LiveJob => ({
  reactor_unit,
  experiment,
  job_name,
  job_id: 1,
  state,
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings,
});
const stirring: ShownJob = {
  name: 'stirring',
  title: 'Stirring',
  help: '',
  plugin: null,
  form: { fields: [], variants: [], isWhole: true },
  settings: [
    {
      key: 'target_rpm',
      type: 'numeric',
      display: true,
      description: '',
      default: null,
      unit: 'RPM',
      label: 'Speed',
      editable: true,
      min: 0,
      max: 1500,
      choices: [],
    },
  ],
  subtext: null,
  missing: null,
  asOfMs: 0,
};
const jobs = [
  job('u1', 'stirring', 'ready', { target_rpm: 500.00001 }),
  job('u2', 'stirring', 'sleeping', { target_rpm: 400 }),
  job('u3', 'stirring', 'lost'),
  job('u1', 'add_media'),
  { ...job('u2', 'od_reading'), experiment: 'another' },
];

describe('a cell', () => {
  const of = (unit: string, known: readonly LiveJob[] | undefined = jobs) =>
    matrixCell(stirring, known, unit, experiment);

  it('has the value of a running job, and the state of the others', () => {
    expect([of('u1'), of('u2'), of('u3'), of('u4')]).toEqual([
      { phase: 'on', text: '500 RPM', title: 'On, Speed 500 RPM' },
      { phase: 'paused', text: 'Paused', title: 'Paused, Speed 400 RPM' },
      { phase: 'lost', text: '?', title: 'Unknown – unit offline' },
      { phase: 'off', text: '·', title: 'Off' },
    ]);
  });

  it('says what a job without a value does: a temperature that is only recorded is not controlled', () => {
    const recorded = {
      ...job('u1', 'temperature_automation'),
      settings: { automation_name: 'only_record_temperature' },
    };
    const temperature = { ...stirring, name: 'temperature_automation', title: 'Temperature control', settings: [] };
    expect(matrixCell(temperature, [recorded], 'u1', experiment).text).toBe('Records only');
    expect(matrixCell({ ...temperature, name: 'add_media' }, jobs, 'u1', experiment).text).toBe('On');
  });

  it('is unknown before the jobs are known', () => {
    expect(matrixCell(stirring, undefined, 'u1', experiment)).toMatchObject({ phase: 'unknown', text: '?' });
  });

  it('has a short title, or that of a plugin', () => {
    expect([columnTitle(stirring), columnTitle({ name: 'shaker', title: 'Shaker' })]).toEqual(['Stir', 'Shaker']);
  });
});

describe('what is done with several units', () => {
  it('starts nothing on inactive units, which are named', () => {
    const { startable, leftOut } = startableOf(['u1', 'u2', 'u3'], new Set(['u2', 'u9']));
    expect([startable, leftOut]).toEqual([['u1', 'u3'], ['u2']]);
  });

  it('stops all that runs there, jobs without a column and lost ones included', () => {
    expect(runningOn(jobs, ['u1', 'u3'], experiment)).toEqual([
      { job: 'stirring', units: ['u1', 'u3'] },
      { job: 'add_media', units: ['u1'] },
    ]);
  });

  it('changes a value where its job runs', () => {
    expect(sharedSettings([stirring], jobs, ['u1', 'u2', 'u3', 'u4'], experiment)).toMatchObject([
      { job: 'stirring', units: ['u1', 'u2'] },
    ]);
    expect(sharedSettings([stirring], jobs, ['u3'], experiment)).toEqual([]);
  });
});
