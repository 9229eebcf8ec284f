import type { Stage } from '@lcs/platform';
import { createCamera, type UnitCamera } from '../camera/create-camera.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import type { DevicesOutputs } from './devices-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface CameraOutputs {
  readonly camera: UnitCamera;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & BrokerOutputs & JobsOutputs & DevicesOutputs;

/** The camera and its job. */
export function cameraStage(inputs: Inputs): Stage<CameraOutputs> {
  const { options, clock, config, assignment, outbox, note, mqtt, runtime, devices } = inputs;
  const { unit, dataFolder, database, tasks, board, newId, log } = options;
  const camera = createCamera({
    unit,
    dataFolder,
    database,
    tasks,
    board,
    clock,
    mqtt,
    note,
    newId,
    log,
    runtime,
    ...(options.camera && { camera: options.camera }),
    config: () => config.view(),
    facts: () => assignment.facts(),
    light: devices.infraredLight,
    hasSpace: () => outbox.canAccept().accepts,
  });
  runtime.register(camera.jobs);
  return { outputs: { camera }, services: camera.parts };
}
