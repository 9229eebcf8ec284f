import { expect, it } from 'vitest';
import { FollowedTasks } from './followed-tasks.ts';
import { targets } from './requests.ts';
import { Run } from './run.ts';
import { leastShare, Shown } from './shown.ts';
import { startWorld } from './world.ts';

const requests = Number(process.env.LCS_REQUESTS ?? 10_000);
const seed = Number(process.env.LCS_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** So many requests go to one world; then a new one begins, with the next seed. */
const perWorld = Number(process.env.LCS_PER_WORLD ?? 20_000);
/** A long run says now and then how far it is. */
const toldEvery = 10_000;
/** From so many requests on each route was called often enough to be asked for its share of successes. */
const enoughForShares = 10_000;

const startedAt = performance.now();
const seconds = (): string => `${Math.round((performance.now() - startedAt) / 1000)} s`;
const residentMb = (): string => `${Math.round(process.memoryUsage().rss / 1e6)} MB`;

/** All requests that one world shall have. */
async function haveWorld(given: { readonly seed: number; readonly requests: number }, sentBefore: number) {
  await using world = await startWorld();
  const run = new Run(world, given);
  let told = sentBefore;
  while (!run.isDone) {
    await run.round();
    const sent = sentBefore + run.shown.requests;
    if (Math.floor(sent / toldEvery) === Math.floor(told / toldEvery)) continue;
    console.log(`${sent} of ${requests} requests, ${seconds()}, ${residentMb()}`);
    told = sent;
  }
  await run.end();
  return run;
}

it(`keeps its promises over ${requests} generated requests (seed ${seed})`, async () => {
  const shown = new Shown(targets);
  const tasks = new FollowedTasks();
  let sent = 0;
  for (let world = 0; sent < requests; world += 1) {
    const given = { seed: seed + world, requests: Math.min(perWorld, requests - sent) };
    const run = await haveWorld(given, shown.requests).catch((cause: unknown) => {
      const again = `LCS_SEED=${given.seed} LCS_REQUESTS=${given.requests}`;
      throw new Error(`${again}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    });
    shown.add(run.shown);
    tasks.add(run.tasks);
    sent += given.requests;
  }
  const [least] = shown.lines;
  console.log(`${shown.requests} requests to ${shown.routes} routes in ${seconds()}, seed ${seed}; least: ${least}`);
  console.log(`inputs: ${shown.kinds}`);
  console.log(`tasks: ${tasks.summary}`);
  if (process.env.LCS_TELL) {
    for (const [end, count] of [...tasks.ends].sort()) console.log(`${count} ${end}`);
    console.log(shown.lines.slice(0, 80).join('\n'));
  }
  expect(shown.missingKinds, 'kinds of input that did not occur').toEqual([]);
  expect(shown.neverCalled, 'routes that were not called').toEqual([]);
  if (requests >= enoughForShares) {
    expect(shown.refusedKinds, 'kinds of input that never succeeded').toEqual([]);
    expect(shown.tooSeldom, `routes that succeed below ${leastShare}`).toEqual([]);
  }
  const { ok, failed } = tasks.ofRealUnits;
  expect(ok, `outcomes of real units: ${ok} ok, ${failed} failed`).toBeGreaterThan(failed);
}, 7_200_000);
