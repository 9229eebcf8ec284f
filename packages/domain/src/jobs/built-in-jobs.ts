import type { DescribedSetting, JobDescriptor } from '@lcs/contract';
import { automationVariants } from '../automations/automation.ts';
import { dosingAutomationJob, ledAutomationJob, ledIntensityJob } from '../automations/automation-jobs.ts';
import { temperatureAutomations } from '../automations/automations.ts';
import { growthRateJobName } from '../automations/biomass.ts';
import { calibrationJobs, pumpCalibrationJob } from './calibration-jobs.ts';
import type { JobDeclaration, JobSettingDeclaration, JobSettings } from './job-declaration.ts';
import { jobTitles } from './job-titles.ts';
import { pumpJobs } from './pump-jobs.ts';
import { selfTestJob } from './self-test-job.ts';

const describedSetting = (
  setting: Pick<DescribedSetting, 'key' | 'type' | 'description' | 'label'> & Partial<DescribedSetting>,
): DescribedSetting => ({ display: true, default: null, unit: null, editable: true, min: null, max: null, ...setting });

const descriptor = (
  own: Pick<JobDescriptor, 'display_name' | 'job_name' | 'description'> & Partial<JobDescriptor>,
): JobDescriptor => ({
  display: true,
  published_settings: [],
  source: 'app',
  subtext: null,
  is_testing: false,
  ...own,
});

const published: JobSettingDeclaration = { type: 'json', readOnly: true, nullable: true };
const publishedText: JobSettingDeclaration = { type: 'string', readOnly: true, nullable: true };

/** RPM; a stir bar cannot follow faster speeds. */
const rpm = { type: 'float', min: 0, max: 1500, outside: 'clamp', unit: 'RPM', lowerIsSafer: true } as const;
const rpmOption = { type: 'float', min: rpm.min, max: rpm.max } as const;
const percent = { type: 'float', min: 0, max: 100, outside: 'clamp', unit: '%', lowerIsSafer: true } as const;

/** Mixes the culture at a controlled speed. */
export const stirringJob: JobDeclaration = {
  name: 'stirring',
  help: 'Turns the stirrer at a steady speed.',
  settings: {
    target_rpm: { ...rpm, nullable: true },
    duty_cycle: percent,
    measured_rpm: published,
    enable_dodging_od: { type: 'boolean' },
    currently_dodging_od: { type: 'boolean', readOnly: true },
    target_rpm_during_od_reading: { ...rpm, nullable: true },
    target_rpm_outside_od_reading: { ...rpm, nullable: true },
  },
  options: {
    target_rpm: rpmOption,
    use_rpm: { type: 'boolean' },
    duty_cycle: { type: 'float', min: 0, max: 100 },
    target_rpm_during_od_reading: rpmOption,
    target_rpm_outside_od_reading: rpmOption,
    enable_dodging_od: { type: 'boolean' },
    measure_rpm_only: { type: 'boolean' },
  },
  descriptor: descriptor({
    display_name: jobTitles.stirring,
    job_name: 'stirring',
    description: 'Keeps the culture mixed. OD reading needs it.',
    published_settings: [
      describedSetting({
        key: 'target_rpm',
        type: 'numeric',
        description: 'Speed that the stirrer is held at.',
        unit: 'RPM',
        label: 'Target stir RPM',
      }),
    ],
  }),
};

const odChannels = ['1', '2', '3', '4'] as const;

const perChannel = (prefix: string): JobSettings =>
  Object.fromEntries(odChannels.map((channel) => [`${prefix}${channel}`, published]));

/** Reads the optical density. */
export const odReadingJob: JobDeclaration = {
  name: 'od_reading',
  help: 'Measures the optical density at fixed intervals. With `accept_light`: takes the light of the next reading for right, after a new LED.',
  settings: {
    ir_led_intensity: { type: 'float', min: 0, max: 100, unit: '%' },
    interval: { type: 'float', min: 0.1, nullable: true, unit: 's' },
    record_conversions: { type: 'float', min: 0, max: 3600, unit: 's' },
    first_od_obs_time: { type: 'float', readOnly: true, nullable: true, unit: 's' },
    relative_intensity_of_ir_led: published,
    signal_noise: published,
    ods: published,
    ...perChannel('od'),
    ...perChannel('raw_od'),
    ...perChannel('calibrated_od'),
    od_fused: published,
  },
  options: {
    interval: { type: 'float', min: 0.1 },
    ir_led_intensity: { type: 'float', min: 0, max: 100 },
    record_conversions: { type: 'float', min: 0, max: 3600 },
    snapshot: { type: 'boolean' },
    fake_data: { type: 'boolean', isDeveloper: true },
  },
  // Cells that settle are not seen.
  usesJobs: [stirringJob.name],
  withoutUsed: 'goes on',
  descriptor: descriptor({
    display_name: jobTitles.od_reading,
    job_name: 'od_reading',
    description: 'Measures how dense the culture is, by scattered infrared light.',
  }),
};

/** Measures what medium without cells shows. */
export const odBlankJob: JobDeclaration = {
  name: 'od_blank',
  help: 'Measures the signal of medium without cells, which od_reading then takes away: the vial with the culture must be out of the unit, and dosing off. With `delete`: forgets it; with `set`: takes given means.',
  settings: { means: { ...published, outlivesJob: true } },
  options: { n_samples: { type: 'integer', min: 5, max: 1000 } },
  descriptor: null,
};

/** Turns optical density into growth rate. */
export const growthRateJob: JobDeclaration = {
  name: growthRateJobName,
  help: 'Computes the growth rate from the optical density.',
  settings: {
    growth_rate: { ...published, unit: 'h⁻¹' },
    growth_rate_sd: { ...published, unit: 'h⁻¹' },
    od_filtered: published,
  },
  options: {},
  usesJobs: [odReadingJob.name],
  withoutUsed: 'waits',
  descriptor: descriptor({
    display_name: jobTitles.growth_rate_calculating,
    job_name: 'growth_rate_calculating',
    description: 'Computes how fast the culture grows, and smooths the optical density.',
  }),
};

/** Heats the liquid, or only watches its temperature. */
export const temperatureAutomationJob: JobDeclaration = {
  name: 'temperature_automation',
  help: 'Measures the temperature of the liquid and heats it.',
  settings: {
    latest_event: published,
    temperature: { ...published, unit: '℃' },
    heater_duty_cycle: { type: 'float', readOnly: true, unit: '%' },
  },
  options: {},
  variants: automationVariants(temperatureAutomations),
  withoutUsed: 'goes on',
  descriptor: descriptor({
    display_name: jobTitles.temperature_automation,
    job_name: 'temperature_automation',
    description: 'Measures the temperature of the liquid and can hold it at a target.',
    subtext: 'automation_name',
    published_settings: [
      describedSetting({
        key: 'target_temperature',
        type: 'numeric',
        description: 'Temperature that the liquid is held at.',
        unit: '℃',
        label: 'Target temperature',
      }),
      describedSetting({
        key: 'automation_name',
        type: 'string',
        display: false,
        description: 'Which automation runs.',
        label: 'Automation',
      }),
    ],
  }),
};

/** Watches the unit itself. */
export const monitorJob: JobDeclaration = {
  name: 'monitor',
  help: 'Watches the computer and the power of the unit. Runs always.',
  settings: {
    computer_statistics: published,
    button_down: { type: 'boolean', readOnly: true },
    versions: { type: 'json', nullable: true },
    voltage_on_pwm_rail: published,
    ipv4: publishedText,
    wlan_mac_address: publishedText,
    eth_mac_address: publishedText,
  },
  options: {},
  descriptor: null,
};

/** The jobs of this release, in the order in which a screen shows them. */
export const builtInJobs: readonly JobDeclaration[] = [
  stirringJob,
  odReadingJob,
  odBlankJob,
  growthRateJob,
  temperatureAutomationJob,
  dosingAutomationJob,
  ledAutomationJob,
  ledIntensityJob,
  ...pumpJobs,
  ...calibrationJobs,
  selfTestJob,
  monitorJob,
];

/** Descriptors of the jobs that people see. */
export const builtInJobDescriptors: readonly JobDescriptor[] = builtInJobs.flatMap(({ descriptor: shown }) =>
  shown === null ? [] : [shown],
);

/** Names of the jobs that run pumps. */
export const pumpingJobs: readonly string[] = [dosingAutomationJob, ...pumpJobs, pumpCalibrationJob].map(
  ({ name }) => name,
);
