import { stirringJob } from '@lcs/domain';
import type { EndReason, JobContext, JobDefinition } from '@lcs/platform';
import { asItIsNow } from '../shared/calibration.ts';
import { HeldOutput } from '../shared/job-hands.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Dodging } from './dodging.ts';
import { Stirring } from './stirring.ts';
import { stirringConfig } from './stirring-config.ts';

async function start(context: JobContext, devices: UnitDevices) {
  const config = stirringConfig(context);
  const calibrationOf = asItIsNow(devices.calibrationOf, ['stirring']);
  const { name, y = 'RPM' } = calibrationOf('stirring') ?? {};
  if (y !== 'RPM') throw new Error(`The calibration ${name} of stirring is of ${y}, and must be of RPM.`);
  const held = await HeldOutput.take(context, config.output);
  const { hall, opticalReadings, showTrouble, showControl, tell } = devices;
  const stirring = new Stirring(
    context,
    config,
    { hall, opticalReadings, showTrouble, showControl, calibrationOf, tell },
    held,
  );
  const dodging = new Dodging(context, config, devices.opticalReadings, stirring);
  stirring.begin();
  dodging.begin();
  return {
    apply: (values: Parameters<Stirring['apply']>[0]) => stirring.apply(dodging.apply(values)),
    sleep: () => {
      dodging.sleep();
      stirring.sleep();
    },
    wake: () => {
      stirring.wake();
      dodging.wake();
    },
    stop: (reason: EndReason) => stirring.stop(reason),
  };
}

/** The job `stirring`. */
export const stirring = (devices: UnitDevices): JobDefinition => ({
  name: stirringJob.name,
  settings: stirringJob.settings,
  options: stirringJob.options,
  isActuating: true,
  stopGroup: 'heat_and_pwm',
  start: (context) => start(context, devices),
});
