import type { PlannedAction, ProfilePlan, ProfileRunAction } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import { plainWords } from '../ui/plain-words.ts';
import { stepSentence } from './step-sentence.ts';

const outcomeWords = new Map([
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['skipped', 'Skipped'],
  ['missed', 'Missed'],
  ['entered', 'Iteration begun'],
  ['ended', 'Loop ended'],
  ['held', 'Condition held'],
]);

/** The outcome of an action for people. */
export const outcomeText = (outcome: string): string => outcomeWords.get(outcome) ?? outcome;

/** A later start than this is worth showing; an earlier one is the pace of the leader. */
const punctualMs = 1_500;

/** How late an action was; empty: in time. */
export function delayText({ planned_at, settled_at }: Pick<ProfileRunAction, 'planned_at' | 'settled_at'>): string {
  const lateMs = Date.parse(settled_at) - Date.parse(planned_at);
  return lateMs < punctualMs ? '' : `${elapsedText(lateMs)} late`;
}

/** The time until a moment; `now` when it has passed. */
export const untilText = (atMs: number, nowMs: number): string =>
  atMs <= nowMs ? 'now' : `in ${elapsedText(atMs - nowMs)}`;

/** The actions of a plan by their path, which is the same on all units. */
export const actionsByPath = (plan: Pick<ProfilePlan, 'units'> | undefined): ReadonlyMap<string, PlannedAction> =>
  new Map((plan?.units ?? []).flatMap(({ actions }) => actions.map((action) => [action.path, action] as const)));

interface Item {
  readonly path: string;
  readonly action: string;
  readonly iteration: number;
}

/** An action of a run in words, with the number of its iteration where it is one of a loop. */
export function itemText({ path, action, iteration }: Item, known: ReadonlyMap<string, PlannedAction>): string {
  const planned = known.get(path);
  const text = planned === undefined ? plainWords(action) : stepSentence({ ...planned, iteration });
  return iteration > 0 && action !== 'repeat' ? `${text} (iteration ${iteration + 1})` : text;
}
