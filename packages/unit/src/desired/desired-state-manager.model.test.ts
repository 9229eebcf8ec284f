import { ApiError, type DesiredState } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testDocument, testExperiment, testFile, testId, testModel, testStop } from '../testing/test-desired.ts';
import { PowerCut, type TestBoot, TestUnit } from '../testing/test-desired-unit.ts';

const content = fc.record({
  experiment: fc.constantFrom(0, 1, 1, 2),
  active: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  model: fc.integer({ min: -1, max: 1 }),
  shared: fc.integer({ min: 0, max: 2 }),
  /** Orders against experiments 1 and 2, or everything. */
  stops: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2, size: 'small' }),
  /** Whether the orders of the document before are in it too, as they are until the leader has read the report. */
  keepsStops: fc.boolean(),
});
const cutAfter = fc.option(fc.nat({ max: 16 }), { nil: undefined, freq: 2 });
const put = fc.record({ kind: fc.constant('put' as const), content, cutAfter });
const again = fc.record({
  kind: fc.constant('again' as const),
  how: fc.constantFrom('equal', 'stale', 'conflict'),
  cutAfter,
});
const start = fc.record({ kind: fc.constant('start' as const), name: fc.nat({ max: 3 }) });
const restart = fc.record({ kind: fc.constant('restart' as const), cutAfter });
const wait = fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(5, 30, 61), cutAfter });
const action = fc.oneof(
  { weight: 3, arbitrary: put },
  { weight: 1, arbitrary: again },
  { weight: 4, arbitrary: start },
  { weight: 2, arbitrary: restart },
  { weight: 1, arbitrary: wait },
);
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** A leader, a unit, and what must always be true between them. */
class Play {
  readonly unit = new TestUnit();
  /** What the leader wants; the unit may not have it yet. */
  newest: DesiredState | undefined;
  boot: TestBoot;
  #hasContact = false;
  #bootedAt = 0;
  #stopNumber = 0;
  readonly #tooEarly: string[] = [];

  constructor() {
    this.boot = this.unit.boot();
    this.unit.onResume = (job, boot) => {
      const { isMember, isActive, experimentUid } = boot.desiredState.status() ?? {};
      const hasWaited = boot.wire.now() - this.#bootedAt >= 60_000;
      const isAllowed =
        isMember === true &&
        isActive === true &&
        experimentUid === job.experimentUid &&
        !boot.desiredState.isOrderedToStop({ ...job, isLongRunning: false, stopGroup: 'rest' }) &&
        (!job.isActuating || this.#hasContact || hasWaited);
      // A throw would only make the job fail.
      if (!isAllowed) this.#tooEarly.push(job.jobName);
    };
  }

  /** Starts the node until it stays up. */
  async restart(cutAfterSteps?: number): Promise<void> {
    let left = cutAfterSteps;
    for (;;) {
      this.boot = this.unit.boot(left);
      this.#hasContact = false;
      this.#bootedAt = this.boot.wire.now();
      try {
        await this.boot.start();
        return;
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
        left = undefined;
      }
    }
  }

  /** Does it; if the power is cut meanwhile, the node starts again. */
  async powered<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await this.boot.meanwhile(work());
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      await this.restart();
      return undefined;
    }
  }

  async put(document: DesiredState): Promise<string> {
    const outcome = await this.powered(async () => {
      try {
        // In the moment of the answer, and not a moment before, the leader was heard.
        const heard = this.boot.desiredState.onChange(() => {
          this.#hasContact ||= this.boot.desiredState.hasLeaderContact;
        });
        await this.boot.desiredState.put(document);
        heard();
        return 'taken';
      } catch (error) {
        if (error instanceof ApiError) return error.code;
        throw error;
      }
    });
    this.#checkStops();
    return outcome ?? 'cut';
  }

  make({ experiment, active, model, shared, stops, keepsStops }: (Action & { kind: 'put' })['content']): DesiredState {
    const version = (this.newest?.version ?? 0) + 1;
    const made = stops.map((number) => {
      this.#stopNumber += 1;
      return testStop(1_000 + this.#stopNumber, number === 0 ? {} : { experiment_uid: testId(number) });
    });
    return testDocument(version, {
      active,
      experiment: experiment === 0 ? null : testExperiment(experiment),
      model: model < 0 ? null : testModel(model),
      config: { shared: testFile(`[x]\ny=${shared}\n`, shared), own: testFile('') },
      stop: [...(keepsStops ? (this.newest?.stop ?? []) : []), ...made],
    });
  }

  /** Each order is written down as done at most once. */
  #checkStops(): void {
    const done = this.unit.effects.filter((name) => name.startsWith('stopped '));
    expect(new Set(done).size).toBe(done.length);
  }

  /** The leader repeats its document until it is taken; then all is as it wants it. */
  async converge(): Promise<void> {
    const { newest } = this;
    if (newest === undefined) return;
    while ((await this.put(newest)) !== 'taken');
    expect(this.#tooEarly).toEqual([]);
    const { desiredState, model } = this.boot;
    const report = desiredState.report();
    expect(report.version).toBe(newest.version);
    expect(report.applied_at).not.toBeNull();
    expect(desiredState.heartbeat()).toEqual({ desired_version: newest.version, desired_pending: [] });
    for (const [name, { state }] of Object.entries(report.parts)) expect([name, state]).not.toContain('failed');
    expect(model).toEqual(newest.model);
    expect(this.unit.config.text('shared')).toBe(newest.config.shared.text);
    expect(desiredState.facts()).toMatchObject({
      isActive: newest.active,
      experiment: newest.experiment === null ? undefined : { name: newest.experiment.name, uid: newest.experiment.uid },
    });
    expect(report.stopped.map(({ stop_id }) => stop_id)).toEqual(newest.stop.map(({ stop_id }) => stop_id));
    if (!newest.active) expect(this.unit.jobs.filter(({ state }) => state !== 'off')).toEqual([]);
  }

  /** A cut that was to come with a start may come now, while jobs are resumed. */
  async settle(newest: DesiredState): Promise<void> {
    const settled = () => this.boot.resumption.settled().then(() => true);
    while ((await this.put(newest)) !== 'taken' || !(await this.powered(settled)));
  }

  /** Whatever ran goes on after a power cut, and no order is carried out a second time. */
  async survive(): Promise<void> {
    const { newest } = this;
    if (newest === undefined) return;
    await this.settle(newest);
    const uid = newest.experiment?.uid;
    const mine = () => this.unit.jobs.filter((job) => job.state === 'running' && job.experimentUid === uid);
    const before = mine().map(({ jobId }) => jobId);
    const stops = this.#countOf('stop jobs');
    await this.restart();
    expect(await this.put(newest)).toBe('taken');
    await this.boot.resumption.settled();
    expect(this.#tooEarly).toEqual([]);
    expect(mine().map(({ jobId }) => jobId)).toEqual(before);
    expect(this.#countOf('stop jobs')).toBe(stops);
    expect(this.unit.jobs.filter(({ state }) => state === 'cut')).toEqual([]);
    expect(this.boot.desiredState.report().resume?.resumed.length).toBe(before.length);
  }

  #countOf(effect: string): number {
    return this.unit.effects.filter((name) => name === effect).length;
  }

  async step(step: Action): Promise<void> {
    switch (step.kind) {
      case 'put': {
        this.newest = this.make(step.content);
        await this.#withCut(step.cutAfter, () => this.put(this.newest ?? testDocument(1)));
        return;
      }
      case 'again':
        return this.again(step.how, step.cutAfter);
      case 'start': {
        const { experiment, isActive } = this.boot.desiredState.facts();
        const name = `job_${step.name}`;
        const isThere = this.unit.jobs.some((job) => job.jobName === name && job.state !== 'off');
        if (experiment === undefined || !isActive || isThere) return;
        this.unit.addJob(name, experiment.name, experiment.uid, step.name % 2 === 0);
        return;
      }
      case 'restart':
        return this.restart(step.cutAfter);
      case 'wait':
        await this.#withCut(step.cutAfter, () => this.powered(() => this.boot.wire.advance(step.seconds * 1_000)));
    }
  }

  /** What comes out of order changes nothing. */
  async again(how: string, cutAfterSteps: number | undefined): Promise<void> {
    const { newest } = this;
    if (newest === undefined || (await this.put(newest)) !== 'taken') return;
    const before = this.boot.desiredState.report();
    const writes = this.unit.effects.filter((name) => name !== 'drop cut' && !name.startsWith('resume')).length;
    if (how === 'equal') await this.#withCut(cutAfterSteps, () => this.put({ ...newest, leader_time: 1 }));
    else if (how === 'stale') {
      if (newest.version < 2) return;
      const outcome = await this.put(testDocument(newest.version - 1));
      if (outcome === 'cut') return;
      expect(outcome).toBe('desired_stale');
    } else {
      const outcome = await this.put({ ...newest, leader: 'other' });
      if (outcome === 'cut') return;
      expect(outcome).toBe('desired_conflict');
    }
    expect(this.boot.desiredState.report()).toEqual({ ...before, resume: this.boot.desiredState.report().resume });
    if (cutAfterSteps === undefined)
      expect(this.unit.effects.filter((name) => name !== 'drop cut' && !name.startsWith('resume')).length).toBe(writes);
  }

  async #withCut(cutAfterSteps: number | undefined, work: () => Promise<unknown>): Promise<void> {
    if (cutAfterSteps !== undefined) this.boot.cutAfter(cutAfterSteps);
    await work();
    this.boot.cutAfter(undefined);
  }
}

describe('the desired state', () => {
  it('comes out as the newest document, whatever is sent and whenever the power goes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 20 }), async (steps) => {
        const play = new Play();
        await play.restart();
        for (const step of steps) await play.step(step);
        await play.converge();
        await play.survive();
        const times = play.unit.effects.filter((name) => name === `accept ${play.newest?.version}`).length;
        expect(times).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });
});
