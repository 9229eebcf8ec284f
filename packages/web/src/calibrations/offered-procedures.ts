import { CalibrationProtocol, entriesOf, type FinishedTask, unitOutcomes } from '@lcs/contract';
import type { OfferedProcedures } from './open-sessions.ts';

/** What the units that answered offer. */
export const offeredProcedures = (task: FinishedTask): readonly OfferedProcedures[] =>
  [...unitOutcomes(task)].flatMap(([unit, outcome]) => {
    const procedures = outcome.ok ? entriesOf(CalibrationProtocol, outcome.value) : undefined;
    return procedures === undefined ? [] : [{ unit, procedures }];
  });
