import { stirringJob } from '@lcs/domain';
import type { JobContext, JobDefinition } from '@lcs/platform';
import { HeldOutput } from '../shared/job-hands.ts';
import type { UnitDevices } from '../unit-devices.ts';
import { Dodging } from './dodging.ts';
import { Stirring } from './stirring.ts';
import { stirringConfig } from './stirring-config.ts';

async function start(context: JobContext, devices: UnitDevices) {
  const config = stirringConfig(context);
  const stirring = new Stirring(context, config, devices, await HeldOutput.take(context, config.output));
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
    stop: () => stirring.stop(),
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
