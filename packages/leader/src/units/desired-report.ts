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

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Reads what a unit sent; undefined when it is no report. */
export function readReport(value: unknown): ReadReport | undefined {
  if (!isFields(value) || typeof value.version !== 'number' || !Number.isSafeInteger(value.version)) return undefined;
  const isComplete = typeof value.applied_at === 'number';
  const { version, stopped, parts } = value;
  return { version, endedStops: endedStops(stopped), failedParts: failedParts(parts), isComplete };
}

function endedStops(stopped: unknown): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const each of listOf(stopped)) {
    if (!isFields(each) || typeof each.stop_id !== 'string') continue;
    if (listOf(each.still_running).length === 0) ended.add(each.stop_id);
  }
  return ended;
}

function failedParts(parts: unknown): ReadReport['failedParts'] {
  if (!isFields(parts)) return [];
  return Object.entries(parts).flatMap(([part, state]) => {
    if (!isFields(state) || state.state !== 'failed') return [];
    const message = isFields(state.error) ? state.error.message : undefined;
    return [{ part, message: typeof message === 'string' ? message : 'The unit gave no reason.' }];
  });
}

/** The orders that are carried out by a stored report. */
export function endedStopsOf(reported: string | null): ReadonlySet<string> {
  return (reported === null ? undefined : readReport(JSON.parse(reported)))?.endedStops ?? new Set();
}
