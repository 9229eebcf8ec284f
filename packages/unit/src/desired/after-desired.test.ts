import { ApiError, headersOfNeeded, localCaller } from '@lcs/contract';
import type { ServedApi } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { testDocument, testExperiment, testId, testLeaderId, testStop } from '../testing/test-desired.ts';
import { TestUnit } from '../testing/test-desired-unit.ts';
import { afterDesired } from './after-desired.ts';

const inExperiment = (number: number) => testExperiment(number).name;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** A unit in experiment 1 with a job there, and an API that notes what reaches it. */
async function movingUnit() {
  const unit = new TestUnit();
  const boot = unit.boot();
  await boot.start();
  const { desiredState, wire } = boot;
  await desiredState.put(testDocument(1));
  unit.addJob('stirring', inExperiment(1), testId(1), true);
  const done: string[] = [];
  const handler = (operation: string) => () => {
    done.push(operation);
    return { status: 200, body: {} };
  };
  const operations = ['runJob', 'stopJobs', 'setBioreactor'];
  const handlers = Object.fromEntries(operations.map((operation) => [operation, handler(operation)]));
  const served: ServedApi = afterDesired({ declaration: {}, handlers }, desiredState, (job) => job === 'stirring');
  const gate = Promise.withResolvers<void>();
  boot.stopGate = gate.promise;

  const call = async (operation: string, request: { body?: object; version?: unknown; signal?: AbortSignal } = {}) => {
    const { body = {}, version, signal = never } = request;
    const headers = version === undefined ? {} : headersOfNeeded({ leaderId: testLeaderId, version: Number(version) });
    const params = operation === 'runJob' ? { job: 'stirring' } : {};
    try {
      await served.handlers[operation]?.({
        params,
        query: {},
        body,
        caller: localCaller,
        headers,
        signal,
        requestId: 'r',
      });
      return 'done';
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  };
  return {
    desiredState,
    wire,
    done,
    call,
    start: (version: number, experiment = 2) =>
      call('runJob', { version, body: { env: { EXPERIMENT: inExperiment(experiment) } } }),
    /** The move ends the job of the former experiment first. */
    move: () => {
      const stop = [testStop(5, { experiment_uid: testId(1) })];
      void desiredState.put(testDocument(2, { experiment: testExperiment(2), stop }));
    },
    formerJobsEnd: gate.resolve,
  };
}

describe('a command that needs a version of the document', () => {
  it('waits for the document, and for the end of the jobs that it ends', async () => {
    const { call, done, formerJobsEnd, move, start } = await movingUnit();
    const started = start(2);
    const changed = call('setBioreactor', { version: 2 });
    await settled();
    expect(done).toEqual([]);
    move();
    await settled();
    expect(done).toEqual([]);
    formerJobsEnd();
    expect(await Promise.all([started, changed])).toEqual(['done', 'done']);
  });

  it('is carried out at once with that version or a later one, or when it needs none', async () => {
    const { call, start } = await movingUnit();
    expect(await start(1, 1)).toBe('done');
    expect(await call('setBioreactor', { version: 0 })).toBe('done');
    expect(await call('setBioreactor')).toBe('done');
  });

  it('fails with its own code when its deadline passes, and after 10 s without one', async () => {
    const { call, done, start, wire } = await movingUnit();
    const deadline = new AbortController();
    const limited = call('setBioreactor', { version: 2, signal: deadline.signal });
    const unlimited = start(2);
    await settled();
    deadline.abort();
    expect(await limited).toBe('desired_not_applied');
    await wire.advance(10_000);
    expect(await unlimited).toBe('desired_not_applied');
    expect(done).toEqual([]);
  });

  it('is refused at once from a leader that is not the own one, and with headers that cannot be read', async () => {
    const { desiredState } = await movingUnit();
    const needed = { leaderId: testId(99), version: 1 };
    await expect(desiredState.untilApplied(needed, never)).rejects.toMatchObject({ code: 'desired_not_applied' });
    const { call } = await movingUnit();
    expect(await call('setBioreactor', { version: 'first' })).toBe('malformed_request');
  });
});

describe('a start that waits', () => {
  it('does not happen when a stop for it comes meanwhile, which waits for nothing', async () => {
    for (const body of [{ job_name: 'stirring' }, { experiment: inExperiment(2) }, { stop_group: 'pumps' }]) {
      const { call, done, formerJobsEnd, move, start } = await movingUnit();
      const started = start(2);
      await settled();
      expect(await call('stopJobs', { body, version: 2 })).toBe('done');
      move();
      formerJobsEnd();
      expect(await started).toBe('job_start_overtaken');
      expect(done).toEqual(['stopJobs']);
    }
  });

  it('happens when a stop for other jobs comes meanwhile, such as those of the former experiment', async () => {
    for (const body of [{ job_name: 'od_reading' }, { experiment: inExperiment(1) }, { job_id: 7 }]) {
      const { call, formerJobsEnd, move, start } = await movingUnit();
      const started = start(2);
      await settled();
      await call('stopJobs', { body });
      move();
      formerJobsEnd();
      expect(await started).toBe('done');
    }
  });

  it('does not happen in an experiment that the unit has left meanwhile', async () => {
    const { formerJobsEnd, move, start } = await movingUnit();
    const started = start(2, 1);
    move();
    formerJobsEnd();
    expect(await started).toBe('job_of_other_experiment');
  });
});
