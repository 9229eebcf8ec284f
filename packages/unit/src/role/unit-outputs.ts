import type { GuardNews, UnitBoard } from '@lcs/hardware';
import type { Cancel, JobRuntime, Living } from '@lcs/platform';
import type { Calibrations } from '../calibrations/create-calibrations.ts';
import type { UnitConfig } from '../config/unit-config.ts';
import type { DesiredKeeper } from '../desired/desired-keeper.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { guardNote } from './guard-note.ts';
import { GuardedOutputs } from './guarded-outputs.ts';
import { OutputWiring } from './output-wiring.ts';
import type { UnitRecords } from './unit-records.ts';
import type { UnitRoleOptions } from './unit-role-options.ts';

/** What jobs drive, and what the guard is told of it. */
export interface UnitOutputs {
  readonly outputs: GuardedOutputs;
  readonly guardNews: Living;
  readonly wiring: OutputWiring;
  /** Tells the guard the limits of the model and of its calibrations as they are now. */
  readonly giveLimits: () => void;
}

interface Others {
  readonly config: UnitConfig['view'];
  readonly runtime: () => Pick<JobRuntime, 'fail'>;
  readonly model: DesiredKeeper['model'];
  readonly limitsOf: Calibrations['guardLimits'];
}

/** Listens while jobs may run: what the guard says at the end of the node is no news. */
function followGuard({ onNews }: UnitBoard, take: (news: GuardNews) => void): Living {
  let cancel: Cancel = () => {};
  return {
    name: 'news of the guard',
    start: async () => {
      cancel = onNews(take);
    },
    stop: async () => cancel(),
  };
}

export function createUnitOutputs(options: UnitRoleOptions, records: UnitRecords, others: Others): UnitOutputs {
  const { board, wire, log } = options;
  const { mirror, note, outlet } = records;
  const outputs = new GuardedOutputs({
    actuators: board.actuators,
    wire,
    display: mirror.outputs,
    onInterrupted: (job) => outlet.log(job, 'WARNING', 'Its outputs were off for a moment: the guard was lost.'),
    onLost: (jobId, error) => others.runtime().fail(jobId, error),
  });
  const guardNews = followGuard(board, (news) => {
    const record = guardNote(news);
    if (record !== undefined) note(record);
    outputs.take(news);
  });
  const giveLimits = (): void => {
    const model = others.model();
    if (model === undefined) return;
    board.actuators
      .setLimits(others.limitsOf(model))
      .catch((error: unknown) => log.warn('The guard gets its new limits when it is back', { error: String(error) }));
  };
  const wiring = new OutputWiring({
    ...{ config: others.config, usual: board.wiring, log },
    tell: (wanted) => board.actuators.setWiring(wanted),
    onChange: giveLimits,
    onClash: (message) => note(unitLog('ERROR', 'wiring', message)),
  });
  return { outputs, guardNews, wiring, giveLimits };
}
