import type { CalibrationProtocol, LiveJob } from '@lcs/contract';

/** A guided session that has begun and has not ended. */
export interface OpenSession {
  readonly unit: string;
  readonly session: string;
  /** Null: it waits for a person. */
  readonly percent: number | null;
  /** What it asks or does; empty: not known. */
  readonly text: string;
  /** Its procedure; null: not known yet. */
  readonly procedure: Pick<CalibrationProtocol, 'title' | 'target_device'> | null;
}

/** What a unit offers, and which of it is open. */
export interface OfferedProcedures {
  readonly unit: string;
  readonly procedures: readonly Pick<CalibrationProtocol, 'title' | 'target_device' | 'open_session'>[];
}

const naturally = new Intl.Collator('en', { numeric: true });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The sessions that jobs carry out now. */
const ofJobs = (jobs: readonly LiveJob[]) =>
  jobs.flatMap(({ reactor_unit: unit, settings }) => {
    const { session_id: session, percent_progress: percent, problem, instruction } = settings;
    if (typeof session !== 'string') return [];
    const text = textOf(problem) || textOf(instruction);
    return [{ unit, session, percent: typeof percent === 'number' ? percent : null, text }];
  });

/**
 * All open sessions, those that wait for a person first: nothing else shows that a unit waits. A session that a person goes through step
 * by step has a job only while it measures; the list of procedures names it.
 */
export function openSessions(jobs: readonly LiveJob[], offered: readonly OfferedProcedures[]): readonly OpenSession[] {
  const inJobs = ofJobs(jobs);
  const listed = offered.flatMap(({ unit, procedures }) =>
    procedures.flatMap(({ open_session: session, ...procedure }) =>
      session === undefined ? [] : [{ unit, session, procedure }],
    ),
  );
  const alone = listed.filter(({ session }) => !inJobs.some((one) => one.session === session));
  return [
    ...inJobs.map((one) => ({
      ...one,
      procedure: listed.find(({ session }) => session === one.session)?.procedure ?? null,
    })),
    ...alone.map((one) => ({ ...one, percent: null, text: '' })),
  ].sort(
    (left, right) =>
      Number(left.percent !== null) - Number(right.percent !== null) || naturally.compare(left.unit, right.unit),
  );
}
