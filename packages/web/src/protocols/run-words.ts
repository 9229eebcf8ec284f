import type { PlannedAction, ProfilePlan, ProfileRunAction } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { plainWords } from '../api/plain-words.ts';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { actionOnJob, decisionSentence, stepSentence } from './step-sentence.ts';

const outcomeWords = new Map([
  ['done', commonWords.done],
  ['failed', commonWords.failed],
  ['skipped', protocolsWords.skipped],
  ['missed', protocolsWords.missed],
  ['entered', protocolsWords.iterationBegun],
  ['ended', protocolsWords.loopEnded],
  ['held', protocolsWords.conditionHeld],
]);

/** The outcome of an action for people. */
export const outcomeText = (outcome: string): string => outcomeWords.get(outcome) ?? outcome;

/** A later start than this is worth showing; an earlier one is the pace of the leader. */
const punctualMs = 1_500;

/** How late an action was; empty: in time. */
export function delayText({ planned_at, settled_at }: Pick<ProfileRunAction, 'planned_at' | 'settled_at'>): string {
  const lateMs = Date.parse(settled_at) - Date.parse(planned_at);
  return lateMs < punctualMs ? '' : protocolsWords.late(elapsedText(lateMs));
}

/** The time until a moment; `now` when it has passed. */
export const untilText = (atMs: number, nowMs: number): string =>
  atMs <= nowMs ? 'now' : commonWords.inPlace(elapsedText(atMs - nowMs));

export interface PlannedActions {
  /** The action of a plan; its planned values are those of the iteration. Undefined: the plan does not have it. */
  readonly find: (path: string, iteration: number) => PlannedAction | undefined;
  /** The actions of a wait or a loop by its path, each once. */
  readonly within: (path: string) => readonly PlannedAction[];
}

/** The actions of a plan by their path, which is the same on all units. */
export function actionsByPath(plan: Pick<ProfilePlan, 'units'> | undefined): PlannedActions {
  const all = (plan?.units ?? []).flatMap(({ actions }) => actions);
  const byPath = new Map(all.map((action) => [action.path, action]));
  const byOuter = Map.groupBy(byPath.values(), ({ depends_on }) => depends_on);
  const byIteration = new Map(all.map((action) => [`${action.path}#${action.iteration}`, action]));
  return {
    within: (path) => byOuter.get(path) ?? [],
    find: (path, iteration) => {
      const own = byIteration.get(`${path}#${iteration}`);
      const other = byPath.get(path);
      if (own !== undefined || other === undefined) return own;
      const { planned_options: _, ...written } = other;
      return { ...written, iteration };
    },
  };
}

/** The steps of a plan in words, by their lines in the text. */
export function stepsByLine(plan: Pick<ProfilePlan, 'units'> | undefined): (line: number) => string | undefined {
  const first = new Map<number, PlannedAction>();
  for (const { actions } of plan?.units ?? [])
    for (const action of actions) if (!first.has(action.line)) first.set(action.line, action);
  return (line) => {
    const action = first.get(line);
    return action && stepSentence(action);
  };
}

/** What a simulated run has decided at a wait or a loop. */
export function decisionText(path: string, iteration: number, known: PlannedActions): string {
  const planned = known.find(path, iteration);
  return planned === undefined ? plainWords(path) : decisionSentence(planned);
}

/** The planned actions that a run has not settled, in order; of a finished run there are none. */
export function notDone(
  plan: Pick<ProfilePlan, 'units'> | undefined,
  settled: readonly Pick<ProfileRunAction, 'path' | 'iteration'>[],
): readonly PlannedAction[] {
  const done = new Set(settled.map(({ path, iteration }) => `${path}#${iteration}`));
  const left = new Map<string, PlannedAction>();
  for (const { actions } of plan?.units ?? [])
    for (const action of actions) {
      const key = `${action.path}#${action.iteration}`;
      if (!done.has(key) && !left.has(key)) left.set(key, action);
    }
  return [...left.values()].sort((one, other) => one.at_s - other.at_s);
}

const changeWords = new Map([
  ['paused', commonWords.paused],
  ['resumed', protocolsWords.resumed],
  ['skipped', protocolsWords.skippedToLaterStep],
  ['asked', protocolsWords.askedAboutMissedStep],
]);

/** A change of the course of a run, and who made it: `Paused by ada`. */
export const changeText = ({ kind, account }: { readonly kind: string; readonly account: string | null }): string =>
  `${changeWords.get(kind) ?? plainWords(kind)}${kind === 'asked' ? '' : commonWords.byPersonAfter(account ?? commonWords.unknownPerson)}`;

interface Item {
  readonly path: string;
  readonly action: string;
  readonly iteration: number;
  readonly job_name?: string;
}

/** The actions that are done to a job. */
const actionsOnJobs: ReadonlySet<string> = new Set(['start', 'update', 'pause', 'resume', 'stop']);

/** An action of which no plan is known (yet): without its options. */
const unplannedText = ({ action, job_name: job = '' }: Item): string =>
  job !== '' && actionsOnJobs.has(action) ? actionOnJob(action, job) : plainWords(action);

/** An action of a run in words, with the number of its iteration where it is one of a loop. */
export function itemText(item: Item, known: PlannedActions): string {
  const { path, action, iteration } = item;
  const planned = known.find(path, iteration);
  const text = planned === undefined ? unplannedText(item) : stepSentence(planned);
  return iteration > 0 && action !== 'repeat' ? protocolsWords.withIteration(text, iteration + 1) : text;
}
