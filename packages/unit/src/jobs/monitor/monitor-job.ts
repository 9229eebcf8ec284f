import { availableParallelism } from 'node:os';
import { monitorSettings, readSetting } from '@lcs/domain';
import { type Job, type JobContext, type JobDefinition, monitorDefinition } from '@lcs/node';
import type { UnitDevices } from '../unit-devices.ts';
import { ButtonWatch } from './board-button.ts';
import { Monitor } from './monitor.ts';

/** Without a setting, a computer with a single core does not read the button. */
function isButtonEnabled({ config }: JobContext): boolean {
  const isEnabled = readSetting(config, monitorSettings.enableButton);
  return isEnabled === 'auto' ? availableParallelism() > 1 : isEnabled;
}

function start(context: JobContext, devices: UnitDevices): Job {
  const monitor = new Monitor(context, devices);
  monitor.begin();
  const button =
    isButtonEnabled(context) && devices.button !== undefined ? new ButtonWatch(context, devices.button) : undefined;
  button?.begin();
  return {
    stop: () => button?.stop(),
    apply: ({ versions }) => {
      // After the requested publication.
      if (versions !== undefined) context.clock.after(0, () => monitor.addVersions(versions));
    },
  };
}

/** The permanent job `monitor`. */
export const monitor = (devices: UnitDevices): JobDefinition => ({
  ...monitorDefinition,
  start: (context) => start(context, devices),
});
