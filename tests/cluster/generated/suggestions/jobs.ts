import fc from 'fast-check';
import type { Known } from '../known.ts';
import { membersOf } from './cluster.ts';
import { type Feature, forAll, type Given, oneOf } from './given.ts';

const start = (known: Known): fc.Arbitrary<Given> => membersOf(known, true);

const jobParams = fc.constantFrom('stirring', 'od_reading', 'monitor');

const together = (known: Known, isForStart: boolean, further: fc.Arbitrary<object>): fc.Arbitrary<Given> =>
  fc.tuple(isForStart ? start(known) : membersOf(known), jobParams, further).map(([{ params }, job, more]) => ({
    params: { ...params, job, job_name: job, setting: 'target_rpm', ...more },
  }));

const plain = fc.constant({});

const options = fc.constantFrom(
  { job: 'stirring', options: { target_rpm: 400 } },
  { job: 'stirring', options: {} },
  { job: 'od_reading', options: { interval: 5 } },
  { job: 'temperature_automation', options: { automation_name: 'only_record_temperature' } },
);

export const jobs: Feature = {
  values: () => ({
    job: fc.constantFrom('stirring', 'od_reading', 'growth_rate_calculating clear_cache'),
    job_name: fc.constantFrom('stirring', 'od_reading', 'stirring'),
    job_source: fc.constantFrom('user', 'mcp'),
    job_id: fc.constantFrom('1', '2', '0'),
    setting: fc.constantFrom('target_rpm', '$state'),
    settings: fc.constantFrom({ target_rpm: 400 }, { $state: 'sleeping' }, { $state: 'ready' }),
    options: fc.constantFrom({ target_rpm: 400 }, { 'use-rpm': null }, {}),
    config_overrides: fc.constantFrom([], [['stirring.config', 'pwm_hz', '100']]),
    args: fc.constantFrom([], ['a', '-b']),
    ends_at: fc.constantFrom(undefined, undefined, '2030-01-02T03:04:05.000Z', 'soon'),
    confirm_dilution: fc.boolean(),
    env: fc.constantFrom({}, { JOB_SOURCE: 'mcp', EXPERIMENT: 'forged' }),
  }),
  requests: {
    ...forAll(['runWorkerJob', 'runWorkerJobPatch', 'runUnitJob', 'runUnitJobPatch'], (known) =>
      together(known, true, plain),
    ),
    ...forAll(['updateWorkerJob', 'updateUnitJob', 'getWorkerJobSettings', 'getWorkerJobSetting'], (known) =>
      together(known, false, plain),
    ),
    ...forAll(['runJob', 'runJobByPatch', 'checkJobStart'], (known, node) =>
      node === 'unit'
        ? options.map(({ job, options: chosen }) => ({ params: { job }, body: { options: chosen } }))
        : fc
            .tuple(oneOf(known.model.state.profiles.keys(), 'p.yaml'), oneOf(known.model.experiments, 'e'))
            .map(([profile, experiment]) => ({
              params: { job: 'experiment_profile' },
              body: { args: ['execute', profile, experiment], options: {} },
            })),
    ),
    ...forAll(['stopJobs', 'stopJobsByPatch'], () =>
      fc.constantFrom<Given>(
        { query: {}, body: { job_name: 'od_reading' } },
        { query: { job_name: 'temperature_automation' }, body: {} },
        { query: {}, body: { job_id: 3 } },
      ),
    ),
    ...forAll(['getJobSettings'], (_, node) =>
      fc.constant({ params: { job_name: node === 'unit' ? 'stirring' : 'experiment_profile' }, query: {} }),
    ),
    getJobSetting: (_, node) =>
      fc.constant({
        params: { job_name: node === 'unit' ? 'stirring' : 'experiment_profile', setting: '$state' },
        query: {},
      }),
    ...forAll(['updateJobSettings', 'checkJobSettings'], (_, node) =>
      fc.constant(
        node === 'unit'
          ? { params: { job_name: 'stirring' }, body: { settings: { target_rpm: 500 } } }
          : { params: { job_name: 'experiment_profile' }, body: { settings: { $state: 'ready' } } },
      ),
    ),
  },
};
