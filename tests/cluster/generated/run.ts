import fc from 'fast-check';
import { expect } from 'vitest';
import { type AnsweredCall, type Call, changeOf, checkedContent, isSuccess, textOf } from './checked-answer.ts';
import { FollowedTasks } from './followed-tasks.ts';
import { type NodeName, realUnits } from './known.ts';
import { learn, learnRefusal } from './learn.ts';
import { orphans } from './orphans.ts';
import { type Change, canonical, isFollowed } from './plain-model.ts';
import { RequestCounts } from './request-counts.ts';
import { numbersFrom, ordinaryTo, requestTo, shuffledTargets, type Target, targets } from './requests.ts';
import { kindsIn } from './special-inputs.ts';
import type { Given } from './suggestions/given.ts';
import { lastingProfile } from './suggestions/profiles.ts';
import type { TestCluster } from './test-cluster.ts';
import { isFollowedOfUnit, storedUnitState } from './unit-model.ts';

/** Requests under way at a time. */
const together = 20;
/** In every so many rounds, changes of the same things meet. */
const collidingEvery = 5;
const followedEvery = 5;
/** Followed tasks are polled once in this many rounds. */
const polledEvery = 4;
/** So many that need a running job are sent at once: starting one takes longer than all of them. */
const needingJobsTogether = 8;

type PendingCall = Omit<Call, 'given'>;

const followsChange = ({ node, operation }: Target): boolean =>
  node === 'leader' ? isFollowed(operation) : isFollowedOfUnit(operation);
const isChange = ({ target }: Call): boolean => followsChange(target);
const mustChangeNothing = ({ given }: Call): boolean => given.special?.mustFail === true;

/** These need a running job, or a running profile. */
const ofRunningJob =
  /^(getJobSettings?|updateJobSettings|checkJobSettings|(pause|resume|stop)ProfileRun|skipProfileItem)$/;

const needsJob = ({ target }: PendingCall): boolean => ofRunningJob.test(target.operation);

/** The profile whose runs last. */
const lastingName = 'lasting.yaml';

/** These wait for a restart that the harmless machine does not make; nothing else may begin meanwhile. */
const waitsForRestart = /^(update(Node|From|To)|import)/;

/** A limit of real time, which a busy machine can exceed; what is slow by itself exceeds it twice. */
const isExceededLimit = ({ answer }: AnsweredCall): boolean =>
  answer.status === 500 && Object(answer.json).code === 'dataset_too_slow';

/** So many requests to one cluster, in an order that a seed decides. */
export class Run {
  readonly counts = new RequestCounts(targets);
  readonly tasks = new FollowedTasks();
  readonly #cluster: TestCluster;
  readonly #seeds: () => number;
  readonly #requests: number;
  readonly #targets: Generator<Target, never>;
  #next = 0;
  /** Changes that must not meet others of their round. */
  readonly #waiting: PendingCall[] = [];
  readonly #needingJobs: PendingCall[] = [];
  #round = 0;

  constructor(cluster: TestCluster, { seed, requests }: { readonly seed: number; readonly requests: number }) {
    this.#cluster = cluster;
    this.#seeds = numbersFrom(seed);
    this.#requests = requests;
    this.#targets = shuffledTargets(seed);
  }

  get isDone(): boolean {
    return this.#next >= this.#requests && this.#waiting.length === 0 && this.#needingJobs.length === 0;
  }

  /** Several requests at once; of changes that the model follows only one of each node, unless they shall meet. */
  async round(): Promise<void> {
    this.#round += 1;
    const needing = this.#takeNeedingJobs();
    // Before the requests are made up: some name what was started.
    if (needing.length > 0) await this.#cluster.whileTimePasses(this.#startJobs(needing));
    const calls = this.#draw(this.#round % collidingEvery === 0, needing);
    const answered = await this.#cluster.whileTimePasses(Promise.all(calls.map((call) => this.#send(call))));
    const changes: Record<NodeName, Change[]> = { leader: [], unit: [] };
    for (const one of answered) {
      const content = this.#take(one);
      if (content !== undefined && isChange(one)) changes[one.target.node].push(content);
    }
    await this.#follow(changes, answered);
    await this.#expectRefusedWithoutEffect(changes, answered);
    if (this.#round % polledEvery === 0) await this.#cluster.whileTimePasses(this.tasks.poll(this.#taskAt));
    await this.#cancelLongTasks(answered);
    await this.#cluster.tidy(this.#round);
    await this.#cluster.whileTimePasses(this.#keepRealUnits());
  }

  /** After the last round: experiments that are being deleted go, tasks end, and the stored state equals the models. */
  async end(): Promise<void> {
    await this.#comeToRest();
    const { leader, unit, store, known } = this.#cluster;
    expect(await store.readAnew()).toEqual(known.model.state);
    expect(await storedUnitState(unit.dataFolder)).toEqual(known.unit.state);
    expect(canonical(await leader.client.getSharedConfig())).toBe(
      canonical(known.model.state.configs.get('config.ini')?.newest),
    );
    expect(orphans(store.database)).toEqual([]);
  }

  /** Those that need a running job, when there are enough of them. */
  #takeNeedingJobs(): readonly PendingCall[] {
    const isTime = this.#needingJobs.length >= needingJobsTogether || this.#next >= this.#requests;
    return isTime ? this.#needingJobs.splice(0) : [];
  }

  #draw(mayMeet: boolean, needing: readonly PendingCall[]): readonly Call[] {
    const most: Record<NodeName, number> = { leader: mayMeet ? 4 : 1, unit: 1 };
    const calls: Call[] = [];
    const take = (call: PendingCall): void => {
      const { index, target } = call;
      if (followsChange(target)) {
        if (most[target.node] === 0) {
          this.#waiting.push(call);
          return;
        }
        most[target.node] -= 1;
      }
      // Special inputs count for no route: the first call of each route is an ordinary one, so that a short run calls every route.
      const make = this.counts.isUncalled(target) ? ordinaryTo : requestTo;
      const request = make(target, this.#cluster.known, { mustFit: this.counts.isBehind(target) });
      const [given = {}] = fc.sample(request, { seed: Math.floor(this.#seeds() * 2 ** 31), numRuns: 1 });
      calls.push({ index, target, given });
    };
    for (const call of [...needing, ...this.#waiting.splice(0)]) take(call);
    while (calls.length < together && this.#waiting.length < together && this.#next < this.#requests) {
      const call = { index: this.#next, target: this.#targets.next().value };
      this.#next += 1;
      if (needsJob(call)) this.#needingJobs.push(call);
      else take(call);
    }
    return calls;
  }

  /** Starts jobs for the next requests, because most stop requests stop all of them. */
  async #startJobs(needing: readonly PendingCall[]): Promise<void> {
    const { known, callers } = this.#cluster;
    const [experiment] = known.model.experiments;
    const starts = {
      unit: { params: { job: 'stirring' }, body: { options: { target_rpm: 400 } } },
      leader: {
        params: { job: 'experiment_profile' },
        body: { args: ['execute', lastingName, experiment ?? ''] },
      },
    };
    if (known.model.state.profiles.get(lastingName) !== lastingProfile)
      await this.#change('saveExperimentProfile', {
        params: { filename: lastingName },
        query: { create: 'true' },
        body: { body: lastingProfile },
      });
    for (const node of new Set(needing.map(({ target }) => target.node))) {
      const answer = await callers[node].call('runJob', starts[node]);
      const accepted = answer.expect(answer.status);
      // Not when it was started a moment ago.
      if (answer.status === 202) await this.#cluster[node].finished(accepted);
      if (node === 'leader') known.runs = await this.#cluster.leader.client.listAllProfileRuns({ query: {} });
    }
  }

  async #send(call: Call): Promise<AnsweredCall> {
    const answered = await this.#sendOnce(call);
    return isExceededLimit(answered) ? this.#sendOnce(call) : answered;
  }

  async #sendOnce(call: Call): Promise<AnsweredCall> {
    const { target, given } = call;
    const { params = {}, query = {}, headers = {}, body, file, rawParams, rawBody } = given;
    const options = {
      params,
      query,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(file && { file }),
      ...(rawParams && { rawParams }),
      ...(rawBody !== undefined && { rawBody }),
    };
    const answer = await this.#cluster.callers[target.node].call(target.operation, options).catch((cause: unknown) => {
      const answered = `${target.node} ${target.operation} ${JSON.stringify({ params, rawParams, query, body, rawBody: rawBody?.slice(0, 200) })}`;
      const lastLine = JSON.stringify(this.#cluster[target.node].log.lines.at(-1));
      throw new Error(`no whole answer: ${answered}\n${lastLine}`, { cause });
    });
    return { ...call, answer };
  }

  /** The share of successes is that of requests without an input that was put in to be difficult. */
  #count({ target, given }: AnsweredCall, refusal?: string): void {
    if (given.special === undefined) this.counts.count(target, refusal);
    else this.counts.countSpecial();
  }

  /** Judges an answer and learns from it; undefined when it was no success. */
  #take(answered: AnsweredCall): Change | undefined {
    const { target, given, answer } = answered;
    const content = checkedContent(answered, this.#cluster);
    const succeeded = isSuccess(target.route, answer);
    this.counts.countKinds(kindsIn(given), succeeded);
    if (!succeeded) {
      const { code } = Object(content);
      this.#count(answered, `${answer.status} ${code ?? ''}`);
      learnRefusal(this.#cluster.known, target.node, { params: given.params ?? {}, code });
      return undefined;
    }
    this.#count(answered);
    const change = changeOf(answered, content);
    learn(this.#cluster.known, target.node, change, given);
    if (answered.index % followedEvery === 0) this.tasks.note(target.node, target.operation, content);
    return change;
  }

  /** Lets the models follow what was changed, and compares them with what is stored. */
  async #follow(
    changes: Readonly<Record<NodeName, readonly Change[]>>,
    answered: readonly AnsweredCall[],
  ): Promise<void> {
    const { known, unit, store } = this.#cluster;
    const why = () => answered.filter(isChange).map(textOf).join('\n');
    if (changes.leader.length > 0) {
      const actual = await store.read();
      if (!known.model.applyTogether(changes.leader, actual)) {
        const [only] = changes.leader;
        if (changes.leader.length === 1 && only) known.model.apply(only);
        expect(actual, why()).toEqual(known.model.state);
        throw new Error(`no order of these explains what is stored:\n${why()}`);
      }
    }
    for (const change of changes.unit) {
      // What a session stores at its end has a name of its own choice.
      if (change.operation === 'advanceUnitCalibrationSession')
        known.unit.state = await storedUnitState(unit.dataFolder);
      else {
        known.unit.apply(change);
        expect(await storedUnitState(unit.dataFolder), why()).toEqual(known.unit.state);
      }
    }
  }

  /** What must be refused changes nothing; where something else changed in the round, it was compared with the model. */
  async #expectRefusedWithoutEffect(
    changes: Readonly<Record<NodeName, readonly Change[]>>,
    answered: readonly AnsweredCall[],
  ): Promise<void> {
    const { known, unit, store } = this.#cluster;
    const refused = answered.filter(mustChangeNothing);
    const isUncompared = (node: NodeName): boolean =>
      changes[node].length === 0 && refused.some(({ target }) => target.node === node);
    const why = refused.map(textOf).join('\n');
    if (isUncompared('leader')) expect(await store.read(), why).toEqual(known.model.state);
    if (isUncompared('unit')) expect(await storedUnitState(unit.dataFolder), why).toEqual(known.unit.state);
  }

  readonly #taskAt = (node: NodeName, task_id: string) =>
    this.#cluster.callers[node].call('getTaskResult', { params: { task_id } });

  /** A harmless machine does not start again, which these wait for; the sooner they end, the sooner others may begin. */
  async #cancelLongTasks(answered: readonly AnsweredCall[]): Promise<void> {
    for (const { target, answer } of answered) {
      if (!waitsForRestart.test(target.operation) || answer.status !== 202) continue;
      const { task_id } = Object(answer.json);
      if (typeof task_id !== 'string') continue;
      const { node } = target;
      const cancelled = await this.#cluster.whileTimePasses(
        this.#cluster.callers[node].call('cancelTask', { params: { task_id } }),
      );
      const isCancelled = cancelled.status === 202;
      if (isCancelled) cancelled.expect(202);
      else cancelled.expect(409, 'task_finished');
      this.counts.count({ node, operation: 'cancelTask' }, isCancelled ? undefined : '409 task_finished');
    }
  }

  /** Real units are assigned and active again before long: most routes need that. */
  async #keepRealUnits(): Promise<void> {
    const { known } = this.#cluster;
    const experiment = known.model.experiments.at(0);
    for (const reactor_unit of realUnits) {
      if (!known.model.state.workers.has(reactor_unit))
        await this.#change('registerWorker', { body: { reactor_unit } });
      const worker = known.model.state.workers.get(reactor_unit);
      if (worker?.active === 0)
        await this.#change('setWorkerActivation', { params: { reactor_unit }, body: { is_active: 1 } });
      if (worker?.experiment === null && experiment !== undefined)
        await this.#change('assignWorker', { params: { experiment }, body: { reactor_unit } });
    }
  }

  /** What the test itself changes; the model follows. */
  async #change(
    operation: 'registerWorker' | 'assignWorker' | 'setWorkerActivation' | 'saveExperimentProfile',
    options: Given,
  ): Promise<void> {
    const { known, leader } = this.#cluster;
    const answer = await leader.api.call(operation, { params: {}, ...options });
    known.model.apply({
      operation,
      params: options.params ?? {},
      body: { ...Object(options.body) },
      answer: answer.expect(answer.status),
    });
  }

  async #comeToRest(): Promise<void> {
    const deleting = 'select count(*) as n from experiments where deleting_at is not null';
    const isAtRest = () =>
      Number(this.#cluster.store.database.prepare(deleting).get()?.n) === 0 && this.tasks.open === 0;
    const endAt = performance.now() + 60_000;
    while (!isAtRest()) {
      if (performance.now() > endAt) throw new Error(`tasks or deletions do not end: ${this.tasks.openOnes}`);
      await this.#cluster.whileTimePasses(this.tasks.poll(this.#taskAt));
    }
  }
}
