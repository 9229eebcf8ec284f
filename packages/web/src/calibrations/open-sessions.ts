import type { LiveJob } from '@lcs/contract';

/** A guided session that a job carries out. */
export interface OpenSession {
  readonly unit: string;
  readonly session: string;
  /** Null: it waits for a person. */
  readonly percent: number | null;
  /** What it asks, or does. */
  readonly text: string;
}

const naturally = new Intl.Collator('en', { numeric: true });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The sessions that jobs carry out now, those that wait for a person first: nothing else shows that a unit waits. */
export function openSessions(jobs: readonly LiveJob[]): readonly OpenSession[] {
  return jobs
    .flatMap(({ reactor_unit: unit, settings }) => {
      const { session_id: session, percent_progress: percent, problem, instruction } = settings;
      if (typeof session !== 'string') return [];
      const text = textOf(problem) || textOf(instruction);
      return [{ unit, session, percent: typeof percent === 'number' ? percent : null, text }];
    })
    .sort(
      (left, right) =>
        Number(left.percent !== null) - Number(right.percent !== null) || naturally.compare(left.unit, right.unit),
    );
}
