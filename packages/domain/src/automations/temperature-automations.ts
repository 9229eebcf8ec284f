import type { AutomationDeclaration } from './automation.ts';

/** Holds the liquid at a temperature. */
export const thermostatAutomation = {
  name: 'thermostat',
  displayName: 'Thermostat',
  help: 'Holds the liquid at a temperature.',
  parameters: {
    target_temperature: {
      label: 'Target temperature',
      unit: '℃',
      default: 30,
      min: 0,
      max: 78,
      outside: 'clamp',
      lowerIsSafer: true,
    },
  },
} as const satisfies AutomationDeclaration;

/** Measures and never heats. */
export const onlyRecordTemperature = {
  name: 'only_record_temperature',
  displayName: 'Only record temperature',
  help: 'Measures the temperature and never heats.',
  parameters: {},
} as const satisfies AutomationDeclaration;
