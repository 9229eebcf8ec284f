import type { AutomationDescriptor, AutomationField } from '@lcs/contract';

/** What automations work on; a job for each. */
export const automationTypes = ['dosing', 'led', 'temperature'] as const;
export type AutomationType = (typeof automationTypes)[number];

export const isAutomationType = (text: string): text is AutomationType => automationTypes.some((type) => type === text);

const field = (
  key: string,
  initial: number | string | null,
  unit: string,
  label: string,
  more: Partial<AutomationField> = {},
): AutomationField => ({
  key,
  default: initial,
  label,
  disabled: false,
  required: true,
  unit,
  type: 'numeric',
  options: null,
  ...more,
});

const automation = (
  automation_name: string,
  display_name: string,
  description: string,
  fields: readonly AutomationField[] = [],
): AutomationDescriptor => ({ display_name, automation_name, description, source: null, fields: [...fields] });

const dosing: readonly AutomationDescriptor[] = [
  automation('chemostat', 'Chemostat', 'Exchanges a fixed volume at fixed intervals, which sets the growth rate.', [
    field('duration', 20, 'min', 'Time between dosing'),
    field('exchange_volume_ml', 0.5, 'mL', 'Exchange volume'),
  ]),
  automation('turbidostat', 'Turbidostat', 'Dilutes the culture whenever its density reaches the target.', [
    field('target_biomass', null, 'OD/AU', 'Target biomass'),
    field('exchange_volume_ml', 1, 'mL', 'Exchange volume'),
    field('biomass_signal', 'auto', '', 'Biomass signal', { type: 'string' }),
  ]),
  automation('fed_batch', 'Fed Batch', 'Adds medium at fixed intervals and removes nothing.', [
    field('duration', 720, 'min', 'Time between additions'),
    field('dosing_volume_ml', 1, 'mL', 'Volume per dose'),
  ]),
  automation(
    'pid_morbidostat',
    'PID Morbidostat',
    'Holds the growth rate at a target with the alternative medium, and the density below another.',
    [
      field('duration', 60, 'min', 'Check interval'),
      field('target_normalized_od', 1.5, 'AU', 'Target OD'),
      field('target_growth_rate', 0.1, '1/h', 'Target growth rate'),
    ],
  ),
  automation('silent', 'Silent', 'Doses nothing.', [
    field('duration', 30, 'min', 'Time between events', { disabled: true }),
  ]),
];

const led: readonly AutomationDescriptor[] = [
  automation('light_dark_cycle', 'Light/Dark Cycle', 'Switches the light on and off in turn, as day and night do.', [
    field('duration', 1, 'min', 'Time between events', { disabled: true }),
    field('light_intensity', 5, '%', 'Light intensity'),
    field('light_duration_minutes', 960, 'min', 'Light duration'),
    field('dark_duration_minutes', 480, 'min', 'Dark duration'),
  ]),
  automation('silent', 'Silent', 'Leaves the LEDs as they are.', [field('duration', 30, 'min', 'Time between events')]),
];

const temperature: readonly AutomationDescriptor[] = [
  automation('thermostat', 'Thermostat', 'Holds the liquid at a temperature.', [
    field('target_temperature', 30, '℃', 'Target temperature'),
  ]),
  automation('only_record_temperature', 'Only record temperature', 'Measures the temperature and never heats.'),
];

/** The automations of this release by type, in the order of the screen. */
export const builtInAutomations: Readonly<Record<AutomationType, readonly AutomationDescriptor[]>> = {
  dosing,
  led,
  temperature,
};
