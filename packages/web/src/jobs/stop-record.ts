import type { RecentStop } from '@lcs/contract';
import { unitsText } from '../tasks/units-text.ts';
import { commonWords } from '../words/common.ts';
import { stopsWords } from '../words/stops.ts';
import { isStartedAgain, type JobOfStop, type StopScope } from './start-again.ts';

export const titleOfStop = (
  { what, experiment, reactor_units: units = null }: StopScope & Partial<Pick<RecentStop, 'reactor_units'>>,
  nameOf: (unit: string) => string,
): string => {
  if (what === 'profile') return stopsWords.stopProfileOf(experiment ?? '');
  if (units !== null) return stopsWords.stopAllOn(unitsText(units.map(nameOf)));
  if (what === 'pumps') return stopsWords.stopAllPumps;
  return experiment === null ? stopsWords.stopEverything : commonWords.stopNamed(experiment);
};

/** When a stop was ordered, by the clock that nobody sets. */
export interface StopOrder extends StopScope {
  readonly monotonicMs: number;
}

/** Two clicks within this time are one. */
const doubleClickMs = 1_000;

/** Whether an order is the second click of two. */
export const isSecondClick = (order: StopOrder, before: StopOrder | undefined): boolean =>
  before?.what === order.what &&
  before.experiment === order.experiment &&
  order.monotonicMs - before.monotonicMs < doubleClickMs;

/** More than the leader keeps stops. */
const mostKept = 50;

/** The stops that a person has read in this browser, as it was saved. */
export function readIds(text: string | null): ReadonlySet<string> {
  try {
    const ids: unknown = JSON.parse(text ?? '[]');
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
  } catch {
    return new Set();
  }
}

/** The text to save, with some more. */
export const withRead = (read: ReadonlySet<string>, ids: readonly string[]): string =>
  JSON.stringify([...new Set([...read, ...ids])].slice(-mostKept));

/** The newest stops that this tab has seen. The same list when none is new. */
export function withSeen(seen: readonly RecentStop[], now: readonly RecentStop[]): readonly RecentStop[] {
  const known = new Set(seen.map(({ stop_id }) => stop_id));
  const added = now.filter(({ stop_id }) => !known.has(stop_id));
  return added.length === 0 ? seen : [...seen, ...added].slice(-mostKept);
}

/** Without stops whose jobs were all started again, here or elsewhere: nobody needs to know of them. The same list when all stay. */
export function withoutStartedAgain(
  seen: readonly RecentStop[],
  standing: readonly RecentStop[],
  now: readonly JobOfStop[],
): readonly RecentStop[] {
  const stands = new Set(standing.map(({ stop_id }) => stop_id));
  const left = seen.filter((stop) => stands.has(stop.stop_id) || !isStartedAgain(stop, now));
  return left.length === seen.length ? seen : left;
}

/** Whose stops they are and what the person knows of them. */
export interface StopsOfTab {
  readonly seen: readonly RecentStop[];
  /** After which nothing was started. */
  readonly standing: readonly RecentStop[];
  readonly read: ReadonlySet<string>;
  /** Ordered in this tab. */
  readonly own: ReadonlySet<string>;
}

/** The stops to show: one of another tab until a person has read it, an own one until something is started. */
export function shownStops({ seen, standing, read, own }: StopsOfTab): readonly RecentStop[] {
  const stands = new Set(standing.map(({ stop_id }) => stop_id));
  return seen.filter(({ stop_id }) => !read.has(stop_id) && (stands.has(stop_id) || !own.has(stop_id)));
}
