import type { Stage } from '@lcs/platform';
import { AlarmFacts } from '../alarms/alarm-facts.ts';
import { CalibrationCopies } from '../calibrations/calibration-copies.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { HttpFleet } from '../fleet/http-fleet.ts';
import type { DocumentsOutputs } from '../units/documents-stage.ts';
import type { SessionsOutputs } from '../units/sessions-stage.ts';
import type { CoreOutputs } from './core-stage.ts';
import type { LeaderRoleOptions } from './leader-role-options.ts';
import type { StoreOutputs } from './store-stage.ts';

export interface FleetOutputs {
  readonly fleet: HttpFleet;
  /** What the features of the leader are built from. */
  readonly context: LeaderContext;
  readonly alarmFacts: AlarmFacts;
  readonly calibrationCopies: CalibrationCopies;
}

type Inputs = LeaderRoleOptions & CoreOutputs & SessionsOutputs & StoreOutputs & DocumentsOutputs;

/** Commands to the units, and what is kept of their stored batches. */
export function fleetStage(inputs: Inputs): Stage<FleetOutputs> {
  const {
    leader,
    clock,
    wire,
    log,
    database,
    change,
    tasks,
    dataFolder,
    newId,
    directory,
    desired,
    feed,
    nodeHeaders,
    nodeAgent,
  } = inputs;
  const fleet = new HttpFleet({
    wire,
    holds: clock,
    log,
    newId,
    addressOf: directory.addressOf,
    nodeHeaders,
    nodeAgent,
    deliver: (unit, limitMs) => desired.deliver(unit, limitMs),
  });
  const calibrationCopies = new CalibrationCopies({ database, change, fleet, wire, clock, log });
  const alarmFacts = new AlarmFacts(clock);
  feed.subscribe(calibrationCopies);
  feed.subscribe(alarmFacts);
  const context: LeaderContext = {
    leader,
    clock,
    wire,
    log,
    database,
    change,
    tasks,
    fleet,
    nodeHeaders,
    nodeAgent,
    dataFolder,
    newId,
    desired,
    units: directory,
  };
  return { outputs: { fleet, context, alarmFacts, calibrationCopies }, services: [] };
}
