import { ApiError, type Handlers, type unitCameraRoutes } from '@lcs/contract';
import type { UnitBoard } from '@lcs/hardware';
import type { JobDefinition, JobMqtt, JobNodeFacts, JobRuntime } from '@lcs/node';
import type { Clock, Database, IniView, Log, Service, TaskRunner } from '@lcs/platform';
import type { InfraredLight } from '../jobs/shared/infrared-light.ts';
import type { NewNote } from '../outbox/new-record.ts';
import type { Camera } from './camera.ts';
import { cameraConfig } from './camera-config.ts';
import { cameraHandlers } from './camera-handlers.ts';
import { cameraMachine } from './camera-machine.ts';
import { CameraSwitch } from './camera-switch.ts';
import type { CameraTables } from './camera-tables.ts';
import { CommandCamera } from './command-camera.ts';
import { simulatedCamera } from './simulated-camera.ts';
import { Snapshots } from './snapshots.ts';
import { StillSchedule } from './still-schedule.ts';
import { StillStore } from './still-store.ts';
import { Stills } from './stills.ts';

export interface CameraOptions {
  readonly unit: string;
  readonly dataFolder: string;
  readonly database: Pick<Database<CameraTables>, 'read' | 'write'>;
  /** Not started yet: the kind of its tasks is registered here. */
  readonly tasks: TaskRunner;
  readonly board: Pick<UnitBoard, 'still'>;
  /** Instead of the one that fits the board. */
  readonly camera?: Camera;
  readonly config: () => IniView;
  readonly facts: () => JobNodeFacts;
  readonly runtime: Pick<JobRuntime, 'runOwn' | 'stopJobs'>;
  readonly light: InfraredLight;
  /** The unit's own. */
  readonly clock: Clock;
  readonly mqtt: JobMqtt;
  readonly note: (note: NewNote) => void;
  /** Throws when the disk has insufficient space. */
  readonly hasSpace: () => boolean;
  readonly newId: () => string;
  readonly log: Log;
}

/** The camera of a unit. */
export interface UnitCamera {
  readonly handlers: Handlers<typeof unitCameraRoutes>;
  /** The job that takes pictures. */
  readonly jobs: readonly JobDefinition[];
  /** Services to start after the database and the unit's assignment, before the tasks. */
  readonly parts: readonly Service[];
  /** After the tasks. */
  readonly partsAfterTasks: readonly Service[];
}

function fittingCamera({ camera, board: { still } }: CameraOptions): Camera {
  if (camera !== undefined) return camera;
  return still === undefined ? new CommandCamera(cameraMachine) : simulatedCamera(still);
}

/** Creates the camera services of a unit. */
export function createCamera(options: CameraOptions): UnitCamera {
  const { unit, dataFolder, database, tasks, facts, clock, mqtt, note, hasSpace, newId, log } = options;
  const config = () => cameraConfig(options.config());
  const current = () => facts().experiment;
  const camera = fittingCamera(options);
  const store = new StillStore({ dataFolder, database, current, log });
  const automatic = new CameraSwitch(database);
  const { runtime, light } = options;
  const snapshots = new Snapshots({ camera, config, light, runtime, newId });
  const stills = new Stills({ unit, store, snapshots, config, current, clock, mqtt, note, newId });
  tasks.register(stills.kind);
  const schedule = new StillSchedule({
    store,
    camera,
    config,
    automatic,
    facts,
    clock,
    log,
    mayTake: hasSpace,
    take: async ({ name: experiment, uid: experiment_uid }) => {
      await tasks.submit(stills.kind, { experiment, experiment_uid, capture_reason: 'scheduled' });
    },
  });
  const mayTake = (): void => {
    if (!hasSpace()) throw new ApiError('storage_full', {});
  };
  const latest: Service = {
    name: 'latest still',
    start: async () => {
      const experiment = current()?.name;
      if (experiment !== undefined) await stills.showLatest(experiment);
    },
    stop: async () => {},
  };
  return {
    handlers: cameraHandlers({
      unit,
      camera,
      config,
      automatic,
      store,
      stills,
      tasks,
      clock,
      current,
      mayTake,
    }),
    jobs: [snapshots.definition],
    parts: [store, automatic, latest],
    partsAfterTasks: [schedule],
  };
}
