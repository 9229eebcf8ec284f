import { keepRunning, monitorDefinition } from '@lcs/node';
import type { Service, Stage } from '@lcs/platform';
import type { CameraOutputs } from './camera-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LeadershipOutputs } from './leadership-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & JobsOutputs & LeadershipOutputs & CameraOutputs;

/** The services of a unit that start when it serves HTTP. */
export function operationStage(inputs: Inputs): Stage<object> {
  const { options, clock, runtime, resumption, enrolment, feed, camera } = inputs;
  const { log } = options;
  // It stops before HTTP: outputs are off and jobs have ended while the server still waits for its requests.
  const runningJobs: Service = { name: 'running jobs', start: async () => {}, stop: () => runtime.stop() };
  return {
    outputs: {},
    services: [
      feed,
      ...camera.partsAfterTasks,
      runningJobs,
      keepRunning(monitorDefinition.name, runtime, log, clock),
      enrolment,
      resumption,
    ],
  };
}
