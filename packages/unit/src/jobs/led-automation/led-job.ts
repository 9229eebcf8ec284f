import { ApiError } from '@lcs/contract';
import { type LedAutomation as Automation, ledAutomationJob, ledAutomations } from '@lcs/domain';
import type { Job, JobContext, JobDefinition } from '@lcs/node';
import { automationSettings } from '../shared/automation-settings.ts';
import { HeldLeds } from '../shared/held-leds.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { KeptLight } from './kept-light.ts';
import { LedAutomation, type LedSetup } from './led-automation.ts';

function automationOf({ jobName: job, options }: JobContext): Automation {
  const found = ledAutomations.find(({ name }) => name === options.automation_name);
  if (found === undefined) {
    const cause = `${String(options.automation_name)} must be the name of an LED automation.`;
    throw new ApiError('job_options_invalid', { job, cause, option: 'automation_name' });
  }
  return found;
}

/** The initial state of a job: after a restart of the unit, phases and a held light continue. */
function keptFrom({ clock, jobSource }: JobContext, kept: KeptLight): Pick<LedSetup, 'sinceMs' | 'heldPercent'> {
  const known = jobSource === 'resume' ? kept.read() : undefined;
  const sinceMs = known?.sinceMs ?? clock.now();
  if (known?.sinceMs === undefined) kept.begin(sinceMs);
  return { sinceMs, heldPercent: known?.heldPercent };
}

function start(context: JobContext, devices: UnitDevices): Job {
  const automation = automationOf(context);
  const leds = new HeldLeds(context, devices);
  const kept = new KeptLight(devices.memory, context, automation.name);
  const setup = {
    automation,
    settings: automationSettings(context.jobName, automation, context),
    ...keptFrom(context, kept),
    recordEvent: devices.recordEvent,
  };
  const light = new LedAutomation(context, setup, leds, kept);
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
