import { dosingAutomation, forgetful } from './dosing-automation.ts';

/** Shows that nothing is to be dosed. */
export const dosingSilent = dosingAutomation({
  name: 'silent',
  displayName: 'Silent',
  help: 'Doses nothing.',
  parameters: {},
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 30, isDisabled: true } },
  pumps: [],
  reads: [],
  trigger: 'never',
  ...forgetful,
  step: (state) => ({ state, decision: { act: 'nothing' } }),
});
