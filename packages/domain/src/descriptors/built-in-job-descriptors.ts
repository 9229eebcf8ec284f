import type { DescribedSetting, JobDescriptor } from '@lcs/contract';
import { builtInJobDescriptors } from '../jobs/built-in-jobs.ts';
import { jobTitle } from '../jobs/job-titles.ts';

const setting = (
  key: string,
  type: DescribedSetting['type'],
  more: Partial<DescribedSetting> = {},
): DescribedSetting => ({
  key,
  type,
  display: false,
  description: null,
  default: null,
  unit: null,
  label: null,
  editable: true,
  min: null,
  max: null,
  ...more,
});

const job = (
  job_name: string,
  description: string,
  more: Partial<JobDescriptor> & Pick<JobDescriptor, 'published_settings'>,
): JobDescriptor => ({
  display_name: jobTitle(job_name),
  job_name,
  display: false,
  source: 'app',
  description,
  subtext: null,
  is_testing: false,
  ...more,
});

/** In the order in which they run; a check that has passed publishes 1. */
const selfTests = [
  'test_detect_heating_pcb',
  'test_positive_correlation_between_temperature_and_heating',
  'test_all_positive_correlations_between_pds_and_leds',
  'test_ambient_light_interference',
  'test_REF_is_lower_than_0_dot_256_volts',
  'test_positive_correlation_between_rpm_and_stirring',
  'test_reactor_HAT_present',
  'test_dark_offset_correction_is_effective',
  'test_REF_is_in_correct_position',
  'test_aux_power_is_not_too_high',
  'test_PD_is_near_0_volts_for_blank',
  'all_tests_passed',
] as const;

const noSettings = { published_settings: [] };

/** Jobs with the steps of a session: instruction and answer. */
const guided = {
  subtext: 'step_id',
  published_settings: [
    setting('instruction', 'string', { label: 'To do now', editable: false }),
    setting('problem', 'string', { label: 'What went wrong', editable: false }),
    setting('percent_progress', 'numeric', { label: 'Progress', unit: '%', editable: false }),
    setting('answer', 'string', { label: 'Answer' }),
    setting('step_id', 'string', { editable: false }),
  ],
};

/** Actions and checks, which unit cards do not list. */
const actionDescriptors: readonly JobDescriptor[] = [
  job('add_media', 'Adds medium, by volume, for a time, or until it is stopped.', noSettings),
  job('remove_waste', 'Removes liquid down to the end of the waste tube.', noSettings),
  job('add_alt_media', 'Adds the alternative medium.', noSettings),
  job('circulate_media', 'Exchanges the liquid for medium, for a time.', noSettings),
  job('circulate_alt_media', 'Exchanges the liquid for the alternative medium, for a time.', noSettings),
  job('prime_pump', 'Fills the tube of a pump until it is stopped.', noSettings),
  job('self_test', 'Checks the hardware of the unit.', {
    published_settings: [
      ...selfTests.map((key) => setting(key, 'boolean')),
      setting('correlations_between_pds_and_leds', 'json'),
    ],
  }),
  job('od_blank', 'Measures the optical density of medium without cells.', {
    published_settings: [setting('means', 'json')],
  }),
  job('stirring_calibration', 'Measures the speed of the stirrer by duty cycle.', noSettings),
  job('pump_calibration', 'Calibrates the volume of a pump by its running time, step by step with a person.', guided),
  job('od_calibration', 'Calibrates the optical density by its signal, step by step with a person.', guided),
  job('temperature_calibration', 'Compares the estimated temperature with a probe.', guided),
];

/** The descriptors of all jobs and actions, in the order of user interfaces. */
export const jobDescriptors: readonly JobDescriptor[] = [...builtInJobDescriptors, ...actionDescriptors];
