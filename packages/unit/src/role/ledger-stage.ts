import { actuationEvent, ConfigValueError, type PumpDevice, pumpDevices } from '@lcs/domain';
import { pwmChannels } from '@lcs/hardware';
import type { IniView, Stage } from '@lcs/platform';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import { DosingStore } from '../bioreactor/dosing-store.ts';
import { followedNotes } from '../bioreactor/followed-notes.ts';
import { recallRuns } from '../bioreactor/recall-runs.ts';
import { UnaccountedRuns } from '../bioreactor/unaccounted-runs.ts';
import { pumpLabels } from '../calibrations/pump-limits.ts';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import { experimentTopics } from '../mirror/experiment-topics.ts';
import type { BrokerOutputs } from './broker-stage.ts';
import type { JobsOutputs } from './jobs-stage.ts';
import type { LeadershipOutputs } from './leadership-stage.ts';
import type { OutputsOutputs } from './outputs-stage.ts';
import type { StorageOutputs } from './storage-stage.ts';
import type { TimeOutputs } from './time-stage.ts';
import type { UnitRoleInputs } from './unit-role-options.ts';

export interface LedgerOutputs {
  readonly ledger: BioreactorState;
}

type Inputs = UnitRoleInputs &
  TimeOutputs &
  StorageOutputs &
  BrokerOutputs &
  OutputsOutputs &
  JobsOutputs &
  LeadershipOutputs;

/** Undefined: the configuration has no output for this pump. */
function outputOf(config: IniView, device: PumpDevice): string | undefined {
  try {
    return pwmOutput(config, pumpLabels[device]);
  } catch (error) {
    if (error instanceof ConfigValueError) return undefined;
    throw error;
  }
}

/** Enters the runs of pumps that jobs of plugins drive themselves, and records that they run. */
function recordOtherRuns({ outputs, wiring, clock, config, publishEvent }: Inputs, ledger: BioreactorState): void {
  const isPump = (output: string): boolean =>
    pwmChannels.some((channel) => output === `pwm${channel}` && wiring.wiring[channel]?.use === 'pump');
  const deviceOf = (output: string): PumpDevice | undefined =>
    pumpDevices.find((device) => output === outputOf(config.view(), device));
  const runs = new UnaccountedRuns({
    clock,
    isPump,
    isAccounted: (jobId, output) => ledger.isAccounted(jobId, output),
    enter: (job, stretch) => ledger.enterRun(job, stretch),
    began: (job, output, forMs) => {
      const device = deviceOf(output);
      const rule = `The job ${job.jobName} drives the pump itself.`;
      const reason = { origin: job.jobSource, rule };
      if (device !== undefined)
        publishEvent(job, actuationEvent({ output: device, to: forMs / 1000, unit: 's', reason }));
    },
  });
  outputs.recordRuns(runs);
}

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
    isRunning: (experiment) => runtime.running().some(({ origin }) => origin.experiment === experiment),
    hasLeader: () => assignment.version > 0,
    append: (record) => void outbox.append(record),
    reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
    onLastHour: (stretches) => recallRuns(board.actuators, stretches, { nowMs: clock.now(), log }),
  });
  runtime.completeEvents((event) => ledger.enterDose(event));
  config.onChange(() => ledger.followConfig());
  recordOtherRuns(inputs, ledger);
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
