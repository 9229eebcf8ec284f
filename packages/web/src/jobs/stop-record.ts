import type { LiveJob } from '@lcs/contract';
import { isUp, type StopScope, stoppedBy } from './start-again.ts';

/** A stop of this tab, and what ran before it. */
export interface StopRecord extends StopScope {
  readonly atMs: number;
  /** The jobs of the time of the stop. */
  readonly jobs: readonly LiveJob[];
  /** The planned ends of jobs by `keyOf`; absent: not read yet. */
  readonly ends?: readonly (readonly [string, string | null])[];
}

/** When a stop was ordered, by the clock that nobody sets. */
export interface StopOrder extends StopScope {
  readonly monotonicMs: number;
}

/** Two clicks within this time are one: by the second, jobs of the list of what to start again may have ended. */
const doubleClickMs = 1_000;

/** Whether an order is the second click of two. */
export const isSecondClick = (order: StopOrder, before: StopOrder | undefined): boolean =>
  before?.what === order.what &&
  before.experiment === order.experiment &&
  order.monotonicMs - before.monotonicMs < doubleClickMs;

/** The record of an order. The second click of two, which is an order only where the first has failed, keeps that of the first. */
export function recordOfOrder(
  order: StopOrder,
  before: StopOrder | undefined,
  kept: StopRecord | null,
  now: Pick<StopRecord, 'atMs' | 'jobs'>,
): StopRecord {
  const { monotonicMs: _, ...scope } = order;
  const isOfScope = kept?.what === scope.what && kept.experiment === scope.experiment;
  return isSecondClick(order, before) && isOfScope ? kept : { ...scope, ...now };
}

const idOf = ({ reactor_unit, job_id }: LiveJob): string => `${reactor_unit}\n${job_id}`;

/** Whether something was started since the stop on a unit that it stopped: what ran before is then no longer what a person wants. */
export function isOvertaken(record: StopRecord, now: readonly LiveJob[]): boolean {
  const units = new Set(stoppedBy(record, record.jobs).map(({ unit }) => unit));
  const ranThen = new Set(record.jobs.map(idOf));
  return now.some((job) => units.has(job.reactor_unit) && isUp(job) && !ranThen.has(idOf(job)));
}
