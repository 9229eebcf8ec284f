import type { PlannedAction, ProfileItemKey, ProfileRunDetails } from '@lcs/contract';
import { biomassSignalSetting, builtInJobs, dosingAutomationJob, jobsReadByDosing } from '@lcs/domain';
import { plainWords } from '../api/plain-words.ts';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { itemText, type PlannedActions } from './run-words.ts';

type WaitingItem = ProfileRunDetails['waiting'][number];

/** A step that still comes, or would have come. */
interface Step extends ProfileItemKey {
  readonly job_name: string;
  readonly action: string;
  readonly planned: PlannedAction | undefined;
}

/** Units that have the same, in the order of the steps. */
interface OfUnits {
  readonly units: readonly string[];
  readonly text: string;
}

const isSame = (one: ProfileItemKey, other: ProfileItemKey): boolean =>
  one.reactor_unit === other.reactor_unit && one.path === other.path && one.iteration === other.iteration;

/** What a move carries out, or continues with a later iteration. */
const keptByMove: ReadonlySet<string> = new Set(['stop', 'pause', 'repeat']);

/** Whether an item is due before the time to which the run moves; a paused run has no times, but its items are in their order. */
function isBefore(item: WaitingItem, target: WaitingItem, waiting: readonly WaitingItem[], known: PlannedActions) {
  if (item.planned_at !== null && target.planned_at !== null)
    return Date.parse(item.planned_at) < Date.parse(target.planned_at);
  const [own, wanted] = [item, target].map(({ path, iteration }) => known.find(path, iteration)?.at_s);
  const placeOf = (key: ProfileItemKey): number => waiting.findIndex((each) => isSame(each, key));
  return placeOf(item) < placeOf(target) && (own === undefined || own !== wanted);
}

/** A waiting item with what follows it when it is a wait or a loop. */
function withInner(item: WaitingItem, known: PlannedActions): readonly Step[] {
  const { reactor_unit, path, iteration, job_name, action } = item;
  const inner = (outer: string): readonly PlannedAction[] =>
    known.within(outer).flatMap((each) => [each, ...inner(each.path)]);
  return [
    { reactor_unit, path, iteration, job_name, action, planned: known.find(path, iteration) },
    ...inner(path).map((planned) => ({ ...planned, reactor_unit, planned })),
  ];
}

/** The steps that a move to an item leaves out, and those that it leaves. */
function splitByMove(waiting: readonly WaitingItem[], target: WaitingItem, known: PlannedActions) {
  const isLeftOut = (item: WaitingItem): boolean =>
    isBefore(item, target, waiting, known) && !keptByMove.has(item.action);
  const steps = (items: readonly WaitingItem[]): readonly Step[] => items.flatMap((item) => withInner(item, known));
  return {
    leftOut: steps(waiting.filter(isLeftOut)),
    left: steps(waiting.filter((item) => !isLeftOut(item))),
  };
}

/** The jobs that a start needs, or without which a change has no effect. */
function neededBy({ job_name: job, action, planned }: Step): readonly string[] {
  if (action === 'update' || action === 'resume') return [job];
  if (action !== 'start') return [];
  const values = { ...planned?.options, ...planned?.planned_options };
  const signal = values[biomassSignalSetting] ?? planned?.biomass_signal;
  const readings =
    job === dosingAutomationJob.name
      ? jobsReadByDosing(values.automation_name, {
          ...values,
          ...(signal !== undefined && { [biomassSignalSetting]: signal }),
        })
      : [];
  const declared = builtInJobs.find(({ name }) => name === job);
  const variant = declared?.variants?.[String(values.automation_name)];
  return [...new Set([...(declared?.usesJobs ?? []), ...(variant?.usesJobs ?? []), ...readings])];
}

/** The same text once, with all its units. */
const byText = (each: readonly { readonly unit: string; readonly text: string }[]): readonly OfUnits[] =>
  [...Map.groupBy(each, ({ text }) => text)].map(([text, same]) => ({
    text,
    units: [...new Set(same.map(({ unit }) => unit))],
  }));

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : commonWords.listAnd(names.slice(0, -1).join(', '), names.at(-1));

/** What a move to an item leaves out, step by step, and what then lacks a job whose start is left out. */
export function skipPreview(
  waiting: readonly WaitingItem[],
  target: WaitingItem,
  known: PlannedActions,
  runs: (unit: string, job: string) => boolean,
): { readonly leftOut: readonly OfUnits[]; readonly warnings: readonly OfUnits[] } {
  const { leftOut, left } = splitByMove(waiting, target, known);
  const started = (steps: readonly Step[], unit: string, job: string): boolean =>
    steps.some((step) => step.reactor_unit === unit && step.job_name === job && step.action === 'start');
  const warnings = left.flatMap((step, at) => {
    const { reactor_unit: unit, job_name: job, action } = step;
    const before = left.slice(0, at);
    const lacking = neededBy(step).filter(
      (needed) => started(leftOut, unit, needed) && !started(before, unit, needed) && !runs(unit, needed),
    );
    if (lacking.length === 0) return [];
    const names = listed(lacking.map((name) => plainWords(name)));
    const text = itemText(step, known);
    const without = builtInJobs.find(({ name }) => name === job)?.withoutUsed;
    const effect = protocolsWords.effectsOfLack[without ?? 'unknown'];
    const warning =
      action === 'start'
        ? protocolsWords.needsLeftOut(text, names, plainWords(job), effect)
        : protocolsWords.changesLeftOut(text, names);
    return [{ unit, text: warning }];
  });
  return {
    leftOut: byText(leftOut.map((step) => ({ unit: step.reactor_unit, text: itemText(step, known) }))),
    warnings: byText(warnings),
  };
}

/** The item to which a paused run moves when it is resumed; undefined: it does not move. */
export function waitingSkip({
  is_paused,
  asks_about,
  changes = [],
  waiting,
}: Pick<ProfileRunDetails, 'is_paused' | 'asks_about' | 'changes'> & {
  readonly waiting: readonly WaitingItem[];
}): WaitingItem | undefined {
  if (!is_paused || asks_about !== null) return undefined;
  const sincePause = changes.slice(changes.findLastIndex(({ kind }) => kind === 'paused') + 1);
  const item = sincePause.findLast(({ kind }) => kind === 'skipped')?.item ?? null;
  return item === null ? undefined : waiting.find((each) => isSame(each, item));
}

/** Whether a move that waits leaves an item out. */
export const isLeftOutBy = (
  target: WaitingItem | undefined,
  item: WaitingItem,
  waiting: readonly WaitingItem[],
  known: PlannedActions,
): boolean => target !== undefined && isBefore(item, target, waiting, known) && !keptByMove.has(item.action);
