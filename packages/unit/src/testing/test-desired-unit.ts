import type { DesiredState } from '@lcs/contract';
import type { InterruptedJob, JobDefinition, JobFilter, JobOrigin } from '@lcs/node';
import { memoryLog, silentLog, VirtualClock } from '@lcs/platform';
import { DesiredStateManager } from '../desired/desired-state-manager.ts';
import type { DesiredStore } from '../desired/desired-store.ts';
import { UnitAssignment } from '../desired/unit-assignment.ts';
import type { LeaderLinkState } from '../enrolment/leader-link.ts';
import type { NewNote } from '../outbox/new-record.ts';
import { Resumption } from '../resume/resumption.ts';
import { MemoryConfig, MemoryDesiredStore, testLeaderId } from './test-desired.ts';

/** The node has just lost its power. */
export class PowerCut extends Error {}

interface TestJob extends JobOrigin {
  readonly isActuating: boolean;
  state: 'running' | 'cut' | 'off';
}

const definitionOf = (job: Pick<TestJob, 'jobName' | 'isActuating'>): JobDefinition => ({
  name: job.jobName,
  isActuating: job.isActuating,
  stopGroup: 'rest',
  settings: {},
  options: {},
  start: () => ({}),
});

const cutJobOf = (job: TestJob): InterruptedJob => ({ ...job, body: {}, settings: {}, state: 'lost', endedAtMs: 0 });

/** What outlives a unit's node, and one boot after the other on it. Power can be cut before and after each effect. */
export class TestUnit {
  readonly store: MemoryDesiredStore;
  readonly config = new MemoryConfig();
  readonly jobs: TestJob[] = [];
  /** Actions that the power cut has ended. */
  over: readonly JobOrigin[] = [];
  readonly notes: NewNote[] = [];
  /** Effects in their order, for assertions. */
  readonly effects: string[] = [];
  link: LeaderLinkState | undefined = {
    leader: 'lead',
    leader_id: testLeaderId,
    standing: 'member',
    credentials: null,
  };
  /** Called when a job comes back. */
  onResume: (job: JobOrigin & { readonly isActuating: boolean }, boot: TestBoot) => void = () => {};
  isDrained = true;
  #last: TestBoot | undefined;

  constructor(store: MemoryDesiredStore = new MemoryDesiredStore()) {
    this.store = store;
  }

  addJob(jobName: string, experiment: string, experimentUid: string | null, isActuating: boolean): TestJob {
    const jobId = this.jobs.length + 1;
    const job: TestJob = {
      jobId,
      jobName,
      experiment,
      experimentUid,
      jobSource: 'user',
      isActuating,
      state: 'running',
    };
    this.jobs.push(job);
    return job;
  }

  /** Starts the node. `cutAfter`: the power goes after so many steps; absent: it stays. */
  boot(cutAfter?: number): TestBoot {
    this.#last?.end();
    for (const job of this.jobs) if (job.state === 'running') job.state = 'cut';
    this.#last = new TestBoot(this, cutAfter);
    return this.#last;
  }
}

/** One run of a node. Once its power is cut, nothing it does has an effect, and nothing answers it. */
export class TestBoot {
  readonly wire = new VirtualClock();
  readonly log = memoryLog();
  readonly assignment: UnitAssignment;
  readonly desiredState: DesiredStateManager;
  readonly resumption: Resumption;
  /** Rejects when the power is cut. */
  readonly cut: Promise<never>;
  model: DesiredState['model'] | undefined;
  modelFailure: Error | undefined;
  readonly #unit: TestUnit;
  readonly #cutNow: () => void;
  readonly #linkListeners = new Set<() => void>();
  #stepsLeft: number | undefined;
  #isOn = true;
  /** Resolves when a stop may continue; tests of slow stops replace it. */
  stopGate: Promise<void> = Promise.resolve();
  /** A job of which the guard does not confirm that its outputs are safe. */
  unstoppable: string | undefined;

  constructor(unit: TestUnit, cutAfter: number | undefined) {
    this.#unit = unit;
    this.#stepsLeft = cutAfter;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.cut = promise;
    this.#cutNow = () => reject(new PowerCut());
    const link = this.#link();
    this.assignment = new UnitAssignment(link);
    this.desiredState = new DesiredStateManager({
      unit: 'unit1',
      store: this.#store(unit.store),
      assignment: this.assignment,
      link,
      config: {
        text: (file) => unit.config.text(file),
        view: () => unit.config.view(),
        replace: (file, text) => this.#effect(`write ${file}`, () => unit.config.replace(file, text)),
      },
      jobs: {
        running: (filter = {}) => this.#matching('running', filter).map((job) => ({ origin: job, definition: job })),
        stopJobs: (filter) => this.#stopJobs(filter),
      },
      model: (model) =>
        this.#effect('model', async () => {
          if (this.modelFailure) throw this.modelFailure;
          this.model = model;
        }),
      note: (note) => {
        if (this.#isOn) unit.notes.push(note);
      },
      now: () => 1_795_252_443_120 + unit.notes.length,
      wire: this.wire,
      log: this.log,
      isDrained: () => unit.isDrained,
      probe: (point) => this.#step(point),
    });
    this.resumption = new Resumption({
      runtime: this.#runtime(),
      desiredState: this.desiredState,
      config: unit.config,
      outbox: { isFull: false },
      wire: this.wire,
      log: silentLog(),
      note: (note) => {
        if (this.#isOn) unit.notes.push(note);
      },
    });
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Cuts the power after so many steps from now; undefined: not at all. */
  cutAfter(steps: number | undefined): void {
    this.#stepsLeft = steps;
  }

  /** A power failure. */
  end(): void {
    this.#isOn = false;
    this.#cutNow();
  }

  /** As a node does: first the orders, then the interrupted jobs. */
  async start(): Promise<void> {
    await this.meanwhile(this.desiredState.start());
    await this.meanwhile(this.resumption.start());
  }

  /** The outcome of some work, or PowerCut. */
  async meanwhile<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.cut]);
  }

  setLink(link: LeaderLinkState | undefined): void {
    this.#unit.link = link;
    for (const listener of this.#linkListeners) listener();
  }

  #store(disk: DesiredStore): DesiredStore {
    return {
      load: () => disk.load(),
      accept: (document, stops, inForce) =>
        this.#effect(`accept ${document.version}`, () => disk.accept(document, stops, inForce)),
      stopDone: (id, outcome) => this.#effect(`stopped ${id}`, () => disk.stopDone(id, outcome)),
      applied: (atMs, parts, inForce) => this.#effect('applied', () => disk.applied(atMs, parts, inForce)),
      forget: (inForce) => this.#effect('forget', () => disk.forget(inForce)),
    };
  }

  #link() {
    const unit = this.#unit;
    return {
      get current() {
        return unit.link;
      },
      onChange: (listener: () => void) => {
        this.#linkListeners.add(listener);
        return () => {
          this.#linkListeners.delete(listener);
        };
      },
      release: () =>
        this.#effect('release', async () => {
          if (unit.link) this.setLink({ ...unit.link, standing: 'released' });
        }),
      dropReleased: () => this.#effect('drop', async () => this.setLink(undefined)),
    };
  }

  #runtime() {
    const { jobs, over } = this.#unit;
    const cut = new Map<number, InterruptedJob>();
    for (const job of jobs) if (job.state === 'cut') cut.set(job.jobId, cutJobOf(job));
    return {
      isOver: () => false,
      endedActions: over,
      get interrupted() {
        return [...cut.values()].filter(({ jobId }) => jobs[jobId - 1]?.state === 'cut');
      },
      definition: (name: string) => {
        const job = jobs.find(({ jobName }) => jobName === name);
        if (job === undefined) throw new Error(`There is no job ${name}.`);
        return definitionOf(job);
      },
      resume: (cutJob: InterruptedJob) =>
        this.#effect(`resume ${cutJob.jobName}`, async () => {
          const job = jobs[cutJob.jobId - 1];
          if (job === undefined) throw new Error('There is no such job.');
          this.#unit.onResume(job, this);
          job.state = 'running';
          return { ok: true, job_id: job.jobId, state: 'ready' } as const;
        }),
      dropInterrupted: (ids: readonly number[]) =>
        this.#effect('drop cut', async () => {
          for (const job of jobs) if (ids.includes(job.jobId) && job.state === 'cut') job.state = 'off';
        }),
    };
  }

  async #stopJobs(filter: JobFilter) {
    await this.stopGate;
    return this.#effect('stop jobs', async () => {
      for (const job of this.#matching('cut', filter)) job.state = 'off';
      const { unstoppable } = this;
      if (unstoppable !== undefined) return { stopped: [], still_running: [{ job_name: unstoppable, job_id: 1 }] };
      const running = this.#matching('running', filter);
      for (const job of running) job.state = 'off';
      return {
        stopped: running.map(({ jobName, jobId }) => ({ job_name: jobName, job_id: jobId })),
        still_running: [],
      };
    });
  }

  #matching(state: TestJob['state'], filter: JobFilter): readonly TestJob[] {
    return this.#unit.jobs.filter(
      (job) =>
        job.state === state &&
        (filter.isLongRunning ?? false) === false &&
        (filter.jobName === undefined || filter.jobName === job.jobName) &&
        (filter.experimentUid === undefined || filter.experimentUid === job.experimentUid) &&
        (filter.jobSource === undefined || filter.jobSource === job.jobSource),
    );
  }

  /** Something that stays: the power may be cut before it and after it. */
  async #effect<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    await this.#yieldToDisk();
    const result = await work();
    this.#unit.effects.push(name);
    await this.#yieldToDisk();
    return result;
  }

  async #yieldToDisk(): Promise<void> {
    try {
      this.#step('');
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      await new Promise<never>(() => {});
    }
  }

  #step(_point: string): void {
    if (this.#isOn && this.#stepsLeft !== undefined) {
      this.#stepsLeft -= 1;
      if (this.#stepsLeft < 0) this.end();
    }
    if (!this.#isOn) throw new PowerCut();
  }
}
