import { type LedAutomation as Automation, ledAutomationJob, ledAutomations } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/platform';
import { automationSettings } from '../shared/automation-settings.ts';
import { HeldLeds } from '../shared/held-leds.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { LedAutomation } from './led-automation.ts';

function automationOf({ options }: JobContext): Automation {
  const found = ledAutomations.find(({ name }) => name === options.automation_name);
  if (found === undefined) throw new Error(`There is no LED automation ${String(options.automation_name)}.`);
  return found;
}

/** When the phases began: after a restart of the unit they go on from where they were. */
function sinceMs(
  { clock, jobSource, experimentUid, experiment }: JobContext,
  name: string,
  devices: UnitDevices,
): number {
  const [place, key] = [experimentUid ?? experiment, `led_automation.${name}.since_ms`];
  const kept = jobSource === 'resume' ? devices.memory.read(place, key) : undefined;
  if (typeof kept === 'number') return kept;
  devices.memory.write(place, key, clock.now());
  return clock.now();
}

function start(context: JobContext, devices: UnitDevices): Job {
  const automation = automationOf(context);
  const leds = new HeldLeds(context, devices);
  const setup = {
    automation,
    settings: automationSettings(automation, context),
    sinceMs: sinceMs(context, automation.name, devices),
  };
  const light = new LedAutomation(context, setup, leds);
  leds.begin();
  light.begin();
  return {
    apply: (values) => light.apply(values),
    sleep: () => light.sleep(),
    wake: () => light.wake(),
    stop: (reason) => light.stop(reason),
  };
}

/** The job `led_automation`. */
export const ledAutomation = (devices: UnitDevices): JobDefinition => ({
  name: ledAutomationJob.name,
  help: ledAutomationJob.help,
  settings: ledAutomationJob.settings,
  options: ledAutomationJob.options,
  variants: ledAutomationJob.variants ?? {},
  isActuating: true,
  stopGroup: 'leds',
  start: (context) => start(context, devices),
});
