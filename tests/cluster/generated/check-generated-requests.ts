import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { seedFrom } from '../seed.ts';
import { FollowedTasks } from './followed-tasks.ts';
import { expectShares, isTooSeldom, RequestCounts } from './request-counts.ts';
import { targets } from './requests.ts';
import { Run } from './run.ts';
import { startTestCluster } from './test-cluster.ts';

/** A long run sends its requests in two test files, each to clusters of its own, so that two cores have work. */
const parts = process.env.LCS_REQUESTS === undefined ? 1 : 2;
const all = Number(process.env.LCS_REQUESTS ?? 1_000);
const firstSeed = seedFrom('LCS_SEED', process.env.LCS_REQUESTS !== undefined);
/** So many requests go to one cluster; then a new one begins, with the next seed. */
const requestsPerCluster = Number(process.env.LCS_PER_WORLD ?? 20_000);
/** In so many requests each kind of special input occurs. */
const requestsOfEachKind = 5_000;
/** A long run reports its progress after so many requests. */
const reportedEvery = 10_000;

const startedAt = performance.now();
const seconds = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
const residentMb = (): string => `${Math.round(process.memoryUsage().rss / 1e6)} MB`;

/** Sends all requests of one cluster. */
async function runCluster(
  given: { readonly seed: number; readonly requests: number },
  sentBefore: number,
  total: number,
) {
  await using cluster = await startTestCluster();
  const run = new Run(cluster, given);
  let reported = sentBefore;
  while (!run.isDone) {
    await run.round();
    const sent = sentBefore + run.counts.requests;
    if (Math.floor(sent / reportedEvery) === Math.floor(reported / reportedEvery)) continue;
    console.log(`${sent} of ${total} requests, ${seconds()}, ${residentMb()}`);
    reported = sent;
  }
  await run.end();
  return run;
}

/** The test of one part. `tests/whole` compares the shares of successes of all parts with those that are required. */
export function checkGeneratedRequests(part: number): void {
  const requests = Math.ceil(all / parts);
  const seed = firstSeed + part * Math.ceil(requests / requestsPerCluster);
  it(`behaves as declared over ${requests} generated requests (seed ${seed})`, async () => {
    const counts = new RequestCounts(targets);
    const tasks = new FollowedTasks();
    let sent = 0;
    for (let index = 0; sent < requests; index += 1) {
      const given = { seed: seed + index, requests: Math.min(requestsPerCluster, requests - sent) };
      const run = await runCluster(given, counts.requests, requests).catch((cause: unknown) => {
        const again = `LCS_SEED=${given.seed} LCS_REQUESTS=${parts * given.requests}`;
        throw new Error(`${again}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
      });
      counts.add(run.counts);
      tasks.add(run.tasks);
      sent += given.requests;
    }
    const [least] = counts.lines;
    console.log(
      `${counts.requests} requests to ${counts.routes} routes in ${seconds()}, seed ${seed}; least: ${least}`,
    );
    console.log(`inputs: ${counts.kinds}`);
    console.log(`tasks: ${tasks.summary}`);
    if (process.env.LCS_TELL) {
      for (const [end, count] of [...tasks.ends].sort()) console.log(`${count} ${end}`);
      console.log(counts.lines.slice(0, 80).join('\n'));
    }
    writeFileSync(join(inject('observationsFolder'), `generated-${part}.json`), JSON.stringify(counts));
    // In a short run the rarest kind, six of a thousand requests, may not occur.
    if (requests >= requestsOfEachKind) expect(counts.missingKinds, 'kinds of input that did not occur').toEqual([]);
    expect(counts.neverCalled, 'routes that were not called').toEqual([]);
    expectShares(counts);
    const { ok, failed } = tasks.ofRealUnits;
    const isMissed = isTooSeldom({ sent: ok + failed, succeeded: ok });
    expect(isMissed, `outcomes of real units: ${ok} ok, ${failed} failed`).toBe(false);
  }, 7_200_000);
}
