import { ApiError } from '@lcs/contract';
import { initialBioreactorValues } from '@lcs/domain';
import { descriptorHandlers, effectiveStopGroup, NodeDescriptors } from '@lcs/node';
import type { Stage } from '@lcs/platform';
import { bioreactorHandlers } from '../bioreactor/bioreactor-handlers.ts';
import { unitConfigHandlers } from '../config/config-handlers.ts';
import { afterDesired } from '../desired/after-desired.ts';
import { biomassSignals, type LiquidNow } from '../jobs/dosing-automation/biomass-signals.ts';
import { hardwareHandlers } from '../node-routes/hardware-handlers.ts';
import { leaderHandlers } from '../node-routes/leader-handlers.ts';
import { statusLightHandlers } from '../status-light/status-light-handlers.ts';
import type { CalibrationsOutputs } from './calibrations-stage.ts';
import type { CameraOutputs } from './camera-stage.ts';
import type { DevicesOutputs } from './devices-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LeadershipOutputs } from './leadership-stage.ts';
import type { LedgerOutputs } from './ledger-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRole, UnitRoleInputs } from './unit-role-options.ts';

export interface RoutesOutputs {
  readonly routes: Pick<UnitRole, 'handlers' | 'afterDesired' | 'mayStart' | 'unavailable'>;
}

type Inputs = UnitRoleInputs &
  TimeOutputs &
  StorageOutputs &
  OutputsOutputs &
  JobsOutputs &
  LeadershipOutputs &
  LedgerOutputs &
  DevicesOutputs &
  CalibrationsOutputs &
  CameraOutputs;

/** The routes of the unit. */
export function routesStage(inputs: Inputs): Stage<RoutesOutputs> {
  const { options, clock, config, link, assignment, outbox, hardware, light, leadingJobs } = inputs;
  const { runtime, plugins, desiredState, enrolment, feed, ledger, devices, calibrations, camera } = inputs;
  const { unit, dataFolder, tasks, board, wire, log } = options;
  const { calibrationOf, fusionOf } = devices;
  const descriptors = new NodeDescriptors({
    dataFolder,
    log,
    initialValues: () => initialBioreactorValues(config.view()),
  });
  const liquidNow = (): LiquidNow => {
    const { experiment } = assignment;
    const fillLimitMl = devices.ownModel()?.reactor_max_fill_volume_ml;
    if (experiment === undefined) return { volumeMl: undefined, mediaLeftMl: undefined, fillLimitMl };
    const vial = { experiment: experiment.name, experimentUid: experiment.uid };
    const { current_volume_ml, efflux_tube_volume_ml, alt_media_fraction } = ledger.valuesOf(vial);
    return {
      volumeMl: current_volume_ml,
      wasteTubeMl: efflux_tube_volume_ml,
      altMediaFraction: alt_media_fraction,
      mediaLeftMl: ledger.bottleLeftMl(vial, 'media'),
      fillLimitMl,
    };
  };
  const handlers: UnitRole['handlers'] = {
    ...bioreactorHandlers(ledger, () =>
      biomassSignals(
        { topics: runtime.topics, clock, config: config.view() },
        { calibrationOf, fusionOf, pumps: devices.pumps },
        liquidNow(),
      ),
    ),
    ...calibrations.handlers,
    ...camera.handlers,
    ...descriptorHandlers(descriptors),
    ...plugins.handlers,
    ...unitConfigHandlers({
      unit,
      config,
      memberOf: () => (assignment.status()?.isMember ? link.current?.leader : undefined),
    }),
    ...statusLightHandlers(light),
    ...leaderHandlers({ feed, desiredState, enrolment, link, wire }),
    ...hardwareHandlers({
      unit,
      tasks,
      buses: board.buses,
      layoutFor: (model) => board.layoutFor(model),
      isModel: (name, version) => devices.modelOf(name, version) !== undefined,
    }),
  };
  return {
    outputs: {
      routes: {
        handlers,
        afterDesired: (served) =>
          afterDesired(served, desiredState, (job) =>
            runtime
              .definitions()
              .some((definition) => definition.name === job && effectiveStopGroup(definition) === 'pumps'),
          ),
        mayStart: async (job, automation, received, isSafer) => {
          if (leadingJobs.has(job)) return;
          if (!isSafer && !outbox.canAccept().accepts) throw new ApiError('storage_full', {});
          await hardware.mustHave(job, automation, received);
        },
        unavailable: (job, automation) => hardware.missing(job, automation),
      },
    },
    services: [],
  };
}
