import { DesiredReport, hasShape } from '@lcs/contract';
import { Type } from 'typebox';

/** What the leader needs of a unit's report; the rest is kept as it came. */
export interface ReadReport {
  readonly version: number;
  /** Orders of which nothing runs any more. */
  readonly endedStops: ReadonlySet<string>;
  /** Parts that the unit could not apply, with its reason. */
  readonly failedParts: readonly { readonly part: string; readonly message: string }[];
  /** Nothing is being applied any more. */
  readonly isComplete: boolean;
}

const Report = Type.Pick(DesiredReport, ['version', 'applied_at', 'stopped', 'parts']);

/** Reads what a unit sent; undefined when it is not a report. */
export function readReport(value: unknown): ReadReport | undefined {
  if (!hasShape(Report, value)) return undefined;
  const { version, applied_at, stopped, parts } = value;
  return {
    version,
    endedStops: new Set(stopped.filter((each) => each.still_running.length === 0).map(({ stop_id }) => stop_id)),
    failedParts: Object.entries(parts).flatMap(([part, { state, error }]) =>
      state === 'failed' ? [{ part, message: error?.message ?? 'The unit gave no reason.' }] : [],
    ),
    isComplete: applied_at !== null,
  };
}

/** The orders that are carried out by a stored report. */
export function endedStopsOf(reported: string | null): ReadonlySet<string> {
  return (reported === null ? undefined : readReport(JSON.parse(reported)))?.endedStops ?? new Set();
}
