import { ApiError, type StartedJob } from '@lcs/contract';
import { type ActionResult, selfTestJob, selfTestNames } from '@lcs/domain';
import type { JobRuntime } from '@lcs/node';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ActionProgress } from './action-progress.ts';

const Rows = Type.Array(Type.Object({ name: Type.String(), state: Type.String(), why: Type.String() }));

/**
 * Starts the job `self_test` and waits for its end.
 * @throws ApiError of the start, and `session_action_failed` when it ended before all was done
 */
export async function followSelfTest(
  topics: JobRuntime['topics'],
  start: () => Promise<StartedJob>,
  onProgress: ActionProgress,
): Promise<ActionResult> {
  const { name } = selfTestJob;
  let rows: readonly { readonly name: string; readonly state: string; readonly why: string }[] = [];
  const ended = Promise.withResolvers<void>();
  const ends = new Set<number>();
  let requested: number | undefined;
  const leave = [
    topics.settings.listen((value, key) => {
      if (key !== `${name}/results` || !Value.Check(Rows, value)) return;
      rows = value;
      onProgress(rows.filter(isDone).length / Math.max(1, rows.length));
    }),
    topics.states.listen(({ jobId, state }, key) => {
      if (key !== name || ['init', 'ready', 'sleeping'].includes(state)) return;
      ends.add(jobId);
      if (jobId === requested) ended.resolve();
    }),
  ];
  try {
    requested = (await start()).job_id;
    if (!ends.has(requested)) await ended.promise;
  } finally {
    for (const cancel of leave) cancel();
  }
  if (rows.length === 0 || !rows.every(isDone))
    throw new ApiError('session_action_failed', {
      action: 'Self-test',
      cause: 'It ended before all checks were done. Run it again.',
    });
  const outcomes = selfTestNames.flatMap((check) => {
    const row = rows.find((one) => one.name === check);
    return row === undefined ? [] : [{ name: check, passed: row.state === 'passed', why: row.why }];
  });
  return { kind: 'self_test', outcomes };
}

const isDone = ({ state }: { readonly state: string }): boolean => state === 'passed' || state === 'failed';
