import type { AutomationDeclaration } from './automation.ts';

/** Controls the temperature of the liquid. */
export const thermostatAutomation = {
  name: 'thermostat',
  displayName: 'Thermostat',
  help: 'Controls the temperature of the liquid.',
  // The heater is below the vial: liquid that nothing stirs is warm there, and cold above.
  usesJobs: ['stirring'],
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

/** Measures without heating. */
export const onlyRecordTemperature = {
  name: 'only_record_temperature',
  displayName: 'Record only',
  help: 'Measures the temperature without heating.',
  parameters: {},
} as const satisfies AutomationDeclaration;
