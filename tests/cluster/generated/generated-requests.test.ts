import type { RouteDeclaration } from '@lcs/contract';
import type { Answer } from '@lcs/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FollowedTasks } from './followed-tasks.ts';
import { lateUnit, type NodeName, realUnits, refusingUnit } from './known.ts';
import { learn } from './learn.ts';
import { orphans } from './orphans.ts';
import { type Change, canonical, isFollowed } from './plain-model.ts';
import { dealt, requestTo, type Target, targets } from './requests.ts';
import { storedState } from './stored-state.ts';
import type { Given } from './suggestions/given.ts';
import { isFollowedOfUnit, storedUnitState } from './unit-model.ts';
import { refusal, startWorld, type World } from './world.ts';

const requests = Number(process.env.LCS_REQUESTS ?? 2_500);
/** Of successes of each route; with few requests chance has more to say. */
const leastShare = requests >= 100_000 ? 0.2 : requests >= 10_000 ? 0.05 : 0;
const seed = Number(process.env.LCS_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Requests under way at a time. */
const together = 20;
/** In every so many rounds, changes of the same things meet. */
const collidingEvery = 5;
const followedEvery = 5;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

interface Card {
  readonly index: number;
  readonly target: Target;
}

interface Call extends Card {
  readonly given: Given;
}

interface Told extends Call {
  readonly answer: Answer;
}

const followsChange = ({ node, operation }: Target): boolean =>
  node === 'leader' ? isFollowed(operation) : isFollowedOfUnit(operation);
const isChange = ({ target }: Call): boolean => followsChange(target);

const textOf = ({ index, target, given, answer }: Told): string => {
  const { file, ...rest } = given;
  const sent = JSON.stringify({ ...rest, ...(file && { file: file.fileName }) });
  const cut = sent.length > 2000 ? `${sent.slice(0, 2000)}…` : sent;
  return `request ${index}, seed ${seed}: ${target.node} ${target.operation} ${cut} → ${answer.status} ${answer.text.slice(0, 400)}`;
};

/** Units that fail because the test lets them: their failures may be passed on. */
const failsOnPurpose = ({ given }: Call): boolean => {
  const unit = given.params?.reactor_unit ?? Object(given.body).name ?? '';
  return unit === refusingUnit || unit === lateUnit || !realUnits.some((real) => real === unit);
};

const failuresOfUnits: readonly unknown[] = ['unit_gave_no_answer', 'worker_setup_failed'];

function judge(told: Told): unknown {
  const { answer } = told;
  if (answer.status >= 500) {
    const { code, error } = Object(answer.json);
    const isInjected = failsOnPurpose(told) && (failuresOfUnits.includes(code) || error === refusal.body.error);
    const node = told.target.node === 'leader' ? world.leader : world.unit;
    if (!isInjected) throw new Error(`${textOf(told)}\n${JSON.stringify(node.log.lines.at(-1))}`);
  }
  try {
    return answer.expect(answer.status);
  } catch (cause) {
    throw new Error(textOf(told), { cause });
  }
}

const isSuccess = (route: RouteDeclaration, { status }: Answer): boolean => status < 400 && status in route.responses;

const changeOf = ({ target, given }: Told, answer: unknown): Change => ({
  operation: target.operation,
  params: given.params ?? {},
  body: { ...Object(given.body) },
  answer,
});

class Run {
  /** Calls and successes, by node and operation. */
  readonly shown = new Map(targets.map(({ node, operation }) => [`${node} ${operation}`, { sent: 0, succeeded: 0 }]));
  readonly tasks = new FollowedTasks();
  readonly #cards = dealt(seed);
  #next = 0;
  readonly #waiting: Card[] = [];
  #round = 0;

  get isDone(): boolean {
    return this.#next >= requests && this.#waiting.length === 0;
  }

  /** Several requests at once; of changes that the model follows only one of each node, unless they shall meet. */
  async round(): Promise<void> {
    this.#round += 1;
    const mayMeet = this.#round % collidingEvery === 0;
    const calls = this.#draw(mayMeet);
    await world.whileTimePasses(startJobs(calls));
    const told = await world.whileTimePasses(Promise.all(calls.map(send)));
    const changes: Record<NodeName, Change[]> = { leader: [], unit: [] };
    for (const one of told) {
      const content = this.#take(one);
      if (content !== undefined && isChange(one)) changes[one.target.node].push(content);
    }
    await follow(changes, told);
    await world.whileTimePasses(this.tasks.look(taskAt));
    await world.whileTimePasses(this.#cancelLongTasks(told));
    await world.tidy(this.#round);
    await keepRealUnits();
  }

  /** Changes that must not meet those of this round wait for a later one. */
  #draw(mayMeet: boolean): readonly Call[] {
    const most: Record<NodeName, number> = { leader: mayMeet ? 4 : 1, unit: 1 };
    const calls: Call[] = [];
    const take = ({ index, target }: Card): void => {
      if (followsChange(target) && most[target.node] === 0) {
        this.#waiting.push({ index, target });
        return;
      }
      if (followsChange(target)) most[target.node] -= 1;
      const [given = {}] = fc.sample(requestTo(target, world.known), { seed: seed + index, numRuns: 1 });
      calls.push({ index, target, given });
    };
    for (const card of this.#waiting.splice(0)) take(card);
    while (calls.length < together && this.#waiting.length < together && this.#next < requests) {
      take({ index: this.#next, target: this.#cards.next().value });
      this.#next += 1;
    }
    return calls;
  }

  /** A harmless machine does not start again, which these wait for; the sooner they end, the sooner others may begin. */
  async #cancelLongTasks(told: readonly Told[]): Promise<void> {
    for (const { target, answer } of told) {
      if (!waitsForRestart.test(target.operation) || answer.status !== 202) continue;
      const { task_id } = Object(answer.json);
      if (typeof task_id !== 'string') continue;
      const cancelled = await world.callers[target.node].call('cancelTask', { params: { task_id } });
      if (cancelled.status !== 202) cancelled.expect(409, 'task_finished');
      else cancelled.expect(202);
      this.#count({ node: target.node, operation: 'cancelTask' }, cancelled.status === 202);
    }
  }

  #count({ node, operation }: Pick<Target, 'node' | 'operation'>, hasSucceeded: boolean): void {
    const key = `${node} ${operation}`;
    const { sent, succeeded } = this.shown.get(key) ?? { sent: 0, succeeded: 0 };
    this.shown.set(key, { sent: sent + 1, succeeded: succeeded + (hasSucceeded ? 1 : 0) });
  }

  /** Judges an answer and learns from it; undefined when it was no success. */
  #take(told: Told): Change | undefined {
    const { target, given, answer } = told;
    const content = judge(told);
    this.#count(target, isSuccess(target.route, answer));
    if (!isSuccess(target.route, answer)) return undefined;
    const change = changeOf(told, content);
    learn(world.known, target.node, change, given);
    if (told.index % followedEvery === 0) this.tasks.note(target.node, target.operation, content);
    return change;
  }
}

/** These need a running job. */
const ofRunningJob = /^(getJobSettings?|updateJobSettings)$/;

/** Starts what is asked for next: most that stops jobs stops all of them. */
async function startJobs(calls: readonly Call[]): Promise<void> {
  const nodes = new Set(
    calls.filter(({ target }) => ofRunningJob.test(target.operation)).map(({ target }) => target.node),
  );
  const lasting = [...world.known.model.state.profiles].find(([, text]) => text.includes('t: 1h'));
  const [experiment] = world.known.model.experiments;
  const starts = {
    unit: { params: { job: 'stirring' }, body: { options: { target_rpm: 400 } } },
    leader: {
      params: { job: 'experiment_profile' },
      body: { args: ['execute', lasting?.[0] ?? '', experiment ?? ''] },
    },
  };
  for (const node of nodes) {
    const answer = await world.callers[node].call('runJob', starts[node]);
    const accepted = answer.expect(answer.status);
    // Not when it was started a moment ago.
    if (answer.status === 202) await (node === 'leader' ? world.leader : world.unit).finished(accepted);
  }
}

async function send(call: Call): Promise<Told> {
  const { target, given } = call;
  const { params = {}, query = {}, headers = {}, body, file } = given;
  const options = { params, query, headers, ...(body === undefined ? {} : { body }), ...(file && { file }) };
  const answer = await world.callers[target.node].call(target.operation, options).catch((cause: unknown) => {
    const node = target.node === 'leader' ? world.leader : world.unit;
    const told = `${target.node} ${target.operation} ${JSON.stringify({ params, query, body })}`;
    throw new Error(`no whole answer: ${told}\n${JSON.stringify(node.log.lines.at(-1))}`, { cause });
  });
  return { ...call, answer };
}

/** Lets the models follow what was changed, and compares them with what is stored. */
async function follow(changes: Readonly<Record<NodeName, readonly Change[]>>, told: readonly Told[]): Promise<void> {
  const { known, leader, unit, store } = world;
  const why = () => told.filter(isChange).map(textOf).join('\n');
  if (changes.leader.length > 0) {
    const actual = await storedState(leader.dataFolder, store);
    if (!known.model.applyTogether(changes.leader, actual)) {
      const [only] = changes.leader;
      if (changes.leader.length === 1 && only) known.model.apply(only);
      expect(actual, why()).toEqual(known.model.state);
      throw new Error(`no order of these explains what is stored:\n${why()}`);
    }
  }
  for (const change of changes.unit) {
    // What a session stores at its end has a name of its own choice.
    if (change.operation === 'advanceUnitCalibrationSession') known.unit.state = await storedUnitState(unit.dataFolder);
    else {
      known.unit.apply(change);
      expect(await storedUnitState(unit.dataFolder), why()).toEqual(known.unit.state);
    }
  }
}

const taskAt = (node: NodeName, task_id: string): Promise<Answer> =>
  world.callers[node].call('getTaskResult', { params: { task_id } });

/** These wait for a restart that the harmless machine does not make; nothing else may begin meanwhile. */
const waitsForRestart = /^(update(Node|From|To)|import)/;

/** Real units are assigned and active again before long: most routes need that. */
async function keepRealUnits(): Promise<void> {
  const { known, leader } = world;
  const change = async (operation: 'registerWorker' | 'assignWorker' | 'setWorkerActivation', options: Given) => {
    const answer = await world.whileTimePasses(leader.api.call(operation, { params: {}, ...options }));
    known.model.apply({
      operation,
      params: options.params ?? {},
      body: { ...Object(options.body) },
      answer: answer.expect(answer.status),
    });
  };
  const experiment = known.model.experiments.at(0);
  for (const reactor_unit of realUnits) {
    if (!known.model.state.workers.has(reactor_unit)) await change('registerWorker', { body: { reactor_unit } });
    const worker = known.model.state.workers.get(reactor_unit);
    if (worker?.active === 0) await change('setWorkerActivation', { params: { reactor_unit }, body: { is_active: 1 } });
    if (worker?.experiment === null && experiment !== undefined)
      await change('assignWorker', { params: { experiment }, body: { reactor_unit } });
  }
}

/** Experiments that are being deleted go, tasks end. */
async function comeToRest(tasks: FollowedTasks): Promise<void> {
  const isAtRest = () => {
    const row = world.store.prepare('select count(*) as n from experiments where deleting_at is not null').get();
    return Number(row?.n) === 0 && tasks.open === 0;
  };
  const endAt = performance.now() + 60_000;
  while (!isAtRest()) {
    if (performance.now() > endAt) throw new Error(`tasks or deletions do not end: ${tasks.openOnes}`);
    await world.whileTimePasses(tasks.look(taskAt));
  }
}

it(`keeps its promises over ${requests} generated requests (seed ${seed})`, async () => {
  const run = new Run();
  while (!run.isDone) await run.round();
  await comeToRest(run.tasks);
  expect(await storedState(world.leader.dataFolder, world.store)).toEqual(world.known.model.state);
  expect(await storedUnitState(world.unit.dataFolder)).toEqual(world.known.unit.state);
  expect(canonical(await world.leader.client.getSharedConfig())).toBe(
    canonical(world.known.model.state.configs.get('config.ini')?.at(-1)),
  );
  expect(orphans(world.store)).toEqual([]);
  const shares = [...run.shown].map(([route, { sent, succeeded }]) => ({
    what: `${route} (${succeeded} of ${sent})`,
    share: succeeded / Math.max(sent, 1),
  }));
  if (process.env.LCS_TELL) {
    for (const [end, count] of [...run.tasks.ends].sort()) console.log(`${count} ${end}`);
    console.log(shares.sort((a, b) => a.share - b.share).slice(0, 60));
    console.log(run.tasks.ofRealUnits);
  }
  expect(shares.filter(({ share }) => share < leastShare)).toEqual([]);
  const { ok, failed } = run.tasks.ofRealUnits;
  expect(ok, `outcomes of real units: ${ok} ok, ${failed} failed`).toBeGreaterThan(failed);
}, 3_600_000);
