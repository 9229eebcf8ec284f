import { readSetting, stirringJob, stirringSettings } from '@lcs/domain';
import type { EndReason, JobContext, JobDefinition } from '@lcs/node';
import { asItIsNow, expectQuantity } from '../shared/calibration.ts';
import { HeldOutput } from '../shared/held-output.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Stirring } from './stirring.ts';
import { stirringConfig } from './stirring-config.ts';

async function start(context: JobContext, devices: UnitDevices) {
  const config = stirringConfig(context);
  const calibrationOf = asItIsNow(devices.calibrationOf, ['stirring']);
  expectQuantity(context.jobName, calibrationOf, 'stirring', 'RPM');
  const held = await HeldOutput.take(context, config.output);
  const stirring = new Stirring(context, config, { ...devices, calibrationOf }, held);
  stirring.begin();
  return {
    apply: (values: Parameters<Stirring['apply']>[0]) => stirring.apply(values),
    sleep: () => stirring.sleep(),
    wake: () => stirring.wake(),
    stop: (reason: EndReason) => stirring.stop(reason),
  };
}

/** The job `stirring`. */
export const stirring = (devices: UnitDevices): JobDefinition => ({
  name: stirringJob.name,
  settings: stirringJob.settings,
  options: stirringJob.options,
  optionDefaults: (config) => ({ target_rpm: readSetting(config, stirringSettings.initialTargetRpm) }),
  isActuating: true,
  stopGroup: 'heat_and_pwm',
  start: (context) => start(context, devices),
});
