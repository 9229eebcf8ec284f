import type { Stage } from '@lcs/platform';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import { DosingStore } from '../bioreactor/dosing-store.ts';
import { followedNotes } from '../bioreactor/followed-notes.ts';
import { recallRuns } from '../bioreactor/recall-runs.ts';
import { experimentTopics } from '../mirror/experiment-topics.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LeadershipOutputs } from './leadership-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface LedgerOutputs {
  readonly ledger: BioreactorState;
}

type Inputs = UnitRoleInputs & TimeOutputs & StorageOutputs & BrokerOutputs & JobsOutputs & LeadershipOutputs;

/** The ledger of the vial, and the topics of the experiment that the unit is in. */
export function ledgerStage(inputs: Inputs): Stage<LedgerOutputs> {
  const { options, clock, config, assignment, outbox, mqtt, mirror, runtime, publishEvent, desiredState } = inputs;
  const { unit, database, board, log } = options;
  const current = () => assignment.experiment;
  const ledger = new BioreactorState({
    unit,
    records: new DosingStore(database),
    mqtt,
    log,
    current,
    event: publishEvent,
    now: () => clock.now(),
    config: () => config.view(),
    model: () => assignment.model,
    hasLeader: () => assignment.version > 0,
    append: (record) => void outbox.append(record),
    reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
    onLastHour: (stretches) => recallRuns(board.actuators, stretches, { nowMs: clock.now(), log }),
  });
  runtime.completeEvents((event) => ledger.enterDose(event));
  const topics = experimentTopics({
    unit,
    mqtt,
    current,
    running: () => runtime.running().map(({ origin }) => origin.experiment),
    onChange: (listener) => desiredState.onChange(listener),
    onCleared: (experiment) => mirror.outputs.cleared(experiment),
    onJoined: (experiment) => ledger.showAll(experiment),
  });
  return { outputs: { ledger }, services: [ledger, followedNotes({ desiredState, assignment, ledger, log }), topics] };
}
