import type { LiveJob } from '@lcs/contract';
import { plainWords } from '../api/plain-words.ts';
import { noAnswerCode, problemText } from '../api/problem.ts';
import { startWords } from '../words/start.ts';
import { unconfirmedCode } from './unconfirmed-code.ts';
import type { Refusal } from './unit-answers.ts';

/** What the units that were asked to stop something have answered: their labels. */
export interface StopReport {
  readonly stopped: readonly string[];
  /** Nothing of it was running there. */
  readonly idle: readonly string[];
}

/** The labels of units on which the job of a start ran already: nothing was changed there. */
type AlreadyRunning = readonly string[];

/** What a command to a unit is for: a job runs in an experiment, or does not run. */
export interface CommandGoal {
  readonly unit: string;
  readonly experiment: string;
  readonly job: string;
  readonly runs: boolean;
}

/** A command to one or several units, and its state. */
export type UnitCommand =
  | { readonly phase: 'idle' }
  | { readonly phase: 'pending'; readonly what: string }
  | {
      readonly phase: 'done';
      readonly what: string;
      readonly units: number;
      readonly stops?: StopReport;
      readonly already?: AlreadyRunning;
    }
  | {
      readonly phase: 'failed';
      readonly what: string;
      readonly refusals: readonly UnitRefusal[];
      /** `nothing`: the leader has not accepted it, so that no unit was asked. */
      readonly reached?: 'nothing';
      /** How many units were asked; absent: not known, or one. */
      readonly units?: number;
      readonly stops?: StopReport;
      readonly already?: AlreadyRunning;
      /** What the units that refused it were to do; absent: not known. */
      readonly missed?: readonly CommandGoal[];
    };

/** `unit`: its label; `null`: the command reached no unit. */
type UnitRefusal = Refusal & {
  readonly unit: string | null;
  /** The name of the unit. */
  readonly unitId?: string;
};

/** A command that the leader has not accepted. */
export const unacceptedCommand = (what: string, error: unknown): UnitCommand => ({
  phase: 'failed',
  what,
  reached: 'nothing',
  refusals: [{ unit: null, ...problemText(error) }],
});

/** How a command that reached nothing ended. */
export const unreachedText = (refusals: readonly UnitRefusal[]): string =>
  refusals.every(({ code }) => code === noAnswerCode) ? startWords.notDoneWithoutAnswer : startWords.notDone;

/** One of several requests of a command. */
interface CommandPart {
  /** The labels of the units that it addressed. */
  readonly units: readonly string[];
  readonly ended: UnitCommand;
}

const ranAlready = ({ ended }: CommandPart, unit: string): boolean =>
  (ended.phase === 'done' || ended.phase === 'failed') && ended.already?.includes(unit) === true;

/** The units on which all that was asked of them ran already. */
const unchangedUnits = (parts: readonly CommandPart[]): AlreadyRunning =>
  [...new Set(parts.flatMap(({ units }) => units))].filter((unit) =>
    parts.every((part) => !part.units.includes(unit) || ranAlready(part, unit)),
  );

/** The end of a command that was sent in several requests. */
export function joinedCommands(what: string, parts: readonly CommandPart[]): UnitCommand {
  const all = parts.flatMap(({ ended }) => (ended.phase === 'failed' ? ended.refusals : []));
  // A unit that does not answer refuses each part for the same reason.
  const refusals = [
    ...new Map(all.map((each) => [JSON.stringify([each.unit, each.error, each.cause]), each])).values(),
  ];
  const unchanged = unchangedUnits(parts);
  const already = unchanged.length > 0 && { already: unchanged };
  return refusals.length === 0
    ? { phase: 'done', what, units: parts.length, ...already }
    : { phase: 'failed', what, refusals, ...already };
}

/** A command without the refusals that a person may confirm, where these are shown with what confirms them. */
export function withoutUnconfirmed(command: UnitCommand): UnitCommand {
  if (command.phase !== 'failed') return command;
  const refusals = command.refusals.filter(({ code }) => code !== unconfirmedCode);
  return refusals.length === 0 ? { phase: 'idle' } : { ...command, refusals };
}

/** A reason for which units refused a command, and their labels. */
interface RefusalReason {
  readonly units: readonly string[];
  readonly text: string;
}

const textOf = ({ error, cause, remediation }: UnitRefusal): string =>
  [...new Set([error, cause, remediation])].filter((line) => line !== '').join(' ');

/** A text without the name of its unit; `unit1` is no part of `unit10`. */
function withoutName(text: string, name: string | undefined): string {
  if (name === undefined || name === '') return text;
  const parts = text.split(new RegExp(`(?<![\\w-])${name.replaceAll(/\W/g, '\\$&')}(?![\\w-])`));
  return parts.reduce(
    (before, after) =>
      `${before}${/(^|[.!?] )$/.test(before) ? startWords.theUnitAtStart : startWords.theUnit}${after}`,
  );
}

/** The reasons of a command, each once: many units often refuse for the same one. */
export function reasonsOf(refusals: readonly UnitRefusal[]): readonly RefusalReason[] {
  const byText = Map.groupBy(refusals, (each) => withoutName(textOf(each), each.unitId && plainWords(each.unitId)));
  return [...byText].map(([text, same]) => {
    const [first] = same;
    const units = same.flatMap(({ unit }) => unit ?? []);
    return { units, text: same.length === 1 && first !== undefined ? textOf(first) : text };
  });
}

const isMet = ({ unit, experiment, job: name, runs }: CommandGoal, jobs: readonly LiveJob[]): boolean => {
  const own = jobs.filter((job) => job.reactor_unit === unit && job.experiment === experiment && job.job_name === name);
  return runs ? own.some(({ state }) => state === 'ready') : own.every(({ state }) => state === 'disconnected');
};

/** What a failed command has missed, of what it was for; undefined: nothing says that, such as where a job runs already. */
export function missedGoals(
  refusals: readonly UnitRefusal[],
  goals: readonly CommandGoal[],
  jobs: readonly LiveJob[],
): readonly CommandGoal[] | undefined {
  const isLost = refusals.some(({ unit }) => unit === null);
  const refused = new Set(refusals.map(({ unitId }) => unitId));
  const missed = goals.filter((goal) => (isLost || refused.has(goal.unit)) && !isMet(goal, jobs));
  const named = new Set(missed.map(({ unit }) => unit));
  return missed.length > 0 && (isLost || [...refused].every((unit) => unit !== undefined && named.has(unit)))
    ? missed
    : undefined;
}

/** Whether all that a failed command has missed was reached since, in whatever way. */
export const isMadeUp = (command: UnitCommand, jobs: readonly LiveJob[]): boolean =>
  command.phase === 'failed' && command.missed !== undefined && command.missed.every((goal) => isMet(goal, jobs));

/** How many units did what was asked; null: that is not known, or one unit was asked. */
export function doneCount({
  refusals,
  units,
  already = [],
}: Extract<UnitCommand, { readonly phase: 'failed' }>): number | null {
  if (units === undefined || units < 2 || refusals.some(({ unit }) => unit === null)) return null;
  return units - new Set(refusals.map(({ unit, unitId }) => unitId ?? unit)).size - already.length;
}
