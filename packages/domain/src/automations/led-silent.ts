import { ledAutomation } from './led-automation.ts';

/** Shows that no rule drives the LEDs. */
export const ledSilent = ledAutomation({
  name: 'silent',
  displayName: 'Silent',
  help: 'Leaves the LEDs as they are.',
  parameters: {},
  ignored: { duration: { label: 'Time between events', unit: 'min', default: 30 } },
  channels: [],
  look: () => ({ percent: 0, changesInMs: undefined, rule: 'Nothing is done.' }),
});
