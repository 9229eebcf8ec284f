import type { DescribedSetting, JobDescriptor } from '@lcs/contract';
import type { JobDeclaration, JobOptionDeclaration, JobSettingDeclaration } from '../jobs/job-declaration.ts';
import { jobTitles } from '../jobs/job-titles.ts';
import { automationVariants } from './automation.ts';
import { dosingAutomations, ledAutomations } from './automations.ts';
import { biomassScaleSetting } from './biomass.ts';
import { ledChannels } from './led-automation.ts';

const published: JobSettingDeclaration = { type: 'json', readOnly: true, nullable: true };

const describedSetting = (
  setting: Pick<DescribedSetting, 'key' | 'type' | 'description'> & Partial<DescribedSetting>,
): DescribedSetting => ({
  display: true,
  default: null,
  unit: null,
  label: null,
  editable: true,
  min: null,
  max: null,
  ...setting,
});

const automationName = describedSetting({
  key: 'automation_name',
  type: 'string',
  display: false,
  description: 'The automation that runs.',
});

const descriptor = (
  own: Pick<JobDescriptor, 'display_name' | 'job_name' | 'description' | 'published_settings'>,
): JobDescriptor => ({ display: true, source: 'app', subtext: 'automation_name', is_testing: false, ...own });

/** Adds media and removes waste by an automation. */
export const dosingAutomationJob: JobDeclaration = {
  name: 'dosing_automation',
  help: 'Adds media and removes waste by an automation.',
  settings: {
    latest_event: published,
    // With another calibration the same signal has another scale: a target means nothing without it.
    [biomassScaleSetting]: { type: 'string', readOnly: true, nullable: true, isKept: true },
  },
  options: {
    alt_media_fraction: { type: 'float', min: 0, max: 1 },
    current_volume_ml: { type: 'float', min: 0 },
    efflux_tube_volume_ml: { type: 'float', min: 0 },
  },
  variants: automationVariants(dosingAutomations),
  withoutUsed: 'waits',
  descriptor: descriptor({
    display_name: jobTitles.dosing_automation,
    job_name: 'dosing_automation',
    description: 'Adds media and removes waste by an automation.',
    published_settings: [
      describedSetting({
        key: 'duration',
        type: 'numeric',
        label: 'Dosing interval',
        description: 'Interval at which the automation decides.',
        unit: 'min',
      }),
      describedSetting({
        key: 'exchange_volume_ml',
        type: 'numeric',
        label: 'Exchange volume',
        description: 'Volume of one exchange.',
        unit: 'mL',
      }),
      describedSetting({
        key: 'target_biomass',
        type: 'numeric',
        label: 'Target biomass',
        description: 'The density that the automation maintains.',
        unit: 'AU',
      }),
      describedSetting({
        key: 'biomass_signal',
        type: 'string',
        label: 'Biomass signal',
        description: 'The signal that the automation uses as biomass.',
      }),
      automationName,
    ],
  }),
};

/** Switches the LEDs by an automation. */
export const ledAutomationJob: JobDeclaration = {
  name: 'led_automation',
  help: 'Switches the LEDs by an automation.',
  settings: { latest_event: published },
  options: {},
  variants: automationVariants(ledAutomations),
  descriptor: descriptor({
    display_name: jobTitles.led_automation,
    job_name: 'led_automation',
    description: 'Switches the LEDs by an automation.',
    published_settings: [automationName],
  }),
};

const intensity: JobOptionDeclaration = { type: 'float', min: 0, max: 100 };

/** Sets LEDs by hand; LEDs that are not named stay as they are. */
export const ledIntensityJob: JobDeclaration = {
  name: 'led_intensity',
  help: 'Sets LEDs to intensities.',
  settings: {},
  options: {
    ...Object.fromEntries(ledChannels.map((channel) => [channel, intensity])),
    source_of_event: { type: 'string', isDeveloper: true },
    no_log: { type: 'boolean', isDeveloper: true },
  },
  descriptor: null,
};
