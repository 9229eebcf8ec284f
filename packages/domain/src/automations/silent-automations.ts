import { dosingAutomation, stateless } from './dosing-automation.ts';
import { ledAutomation } from './led-automation.ts';

/** Runs the dosing job without dosing. */
export const dosingSilent = dosingAutomation({
  name: 'silent',
  displayName: 'Manual only',
  help: 'Doses nothing.',
  parameters: {},
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 30, isDisabled: true } },
  pumps: [],
  reads: [],
  trigger: 'never',
  ...stateless,
  step: (state) => ({ state, decision: { action: 'nothing' } }),
});

/** Runs the LED job without changing LEDs. */
export const ledSilent = ledAutomation({
  name: 'silent',
  displayName: 'Silent',
  help: 'Leaves the LEDs as they are.',
  parameters: {},
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 30 } },
  channels: [],
  evaluate: () => ({ percent: 0, changesInMs: undefined, rule: 'The LEDs stay as they are.' }),
});
