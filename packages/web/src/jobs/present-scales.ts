import { BiomassSignals, type FinishedTask, hasShape } from '@lcs/contract';
import { type CommandOutcome, commandOutcomes } from '../tasks/unit-answers.ts';
import type { PresentScales } from './start-again.ts';

/** The scales of biomass signals, as units report them; a unit without a readable answer is left out. */
export const presentScales = (outcomes: ReadonlyMap<string, CommandOutcome>): PresentScales =>
  new Map(
    [...outcomes].flatMap(([unit, outcome]) =>
      outcome.ok && hasShape(BiomassSignals, outcome.value)
        ? [[unit, new Map(outcome.value.signals.map(({ signal, scale }) => [signal, scale]))] as const]
        : [],
    ),
  );

/** The same in what all units answered to a task. */
export const presentScalesIn = (task: FinishedTask): PresentScales => presentScales(commandOutcomes(task, null));
