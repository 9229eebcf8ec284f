import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, hourMs, leaderApi, ProblemError, unitOutcomes, waitForTask } from '@lcs/contract';
import type { HistoryPort } from '@lcs/leader';
import { type Clock, type Log, StartupError } from '@lcs/platform';
import type { PastEnd } from '@lcs/unit';
import type { OwnCalls } from '../leader-node.ts';
import type { UnitNode } from '../unit-node.ts';
import { calibratePumps } from './demo-calibrations.ts';
import type { DemoProgress } from './demo-progress.ts';
import {
  type DemoUnit,
  demoExperiment,
  demoJobs,
  demoModel,
  demoTags,
  demoText,
  unitsBeforeReady,
} from './demo-units.ts';
import { PastWriter } from './past-writer.ts';

export interface DemoBeginningOptions {
  readonly progress: DemoProgress;
  /** Hours before the first start that the units have measured. */
  readonly pastHours: number;
  readonly history: HistoryPort;
  /** Also for a leader with people. */
  readonly own: OwnCalls;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
}

const memberWithinMs = 60_000;
const pollMs = 100;

/** The first start of a demonstration: its experiment, what its units measured before, and their jobs. */
export class DemoBeginning {
  readonly #options: DemoBeginningOptions;
  readonly #leader: ReturnType<typeof createClient<typeof leaderApi>>;
  readonly #writer: PastWriter;
  readonly #ends = new Map<string, PastEnd>();

  constructor(options: DemoBeginningOptions) {
    this.#options = options;
    this.#leader = createClient(leaderApi, options.own);
    this.#writer = new PastWriter(options.history, options.wire);
  }

  /** What the vial of a unit is at the beginning, where its past was simulated in this run; `passS`: seconds since then. */
  vialOf(unit: string) {
    const end = this.#ends.get(unit);
    const startedAt = this.#options.progress.past?.started_at;
    if (end === undefined || startedAt === undefined) return undefined;
    return { state: end.vial, passS: Math.max(0, this.#options.clock.now() - startedAt) / 1000 };
  }

  /** Before the units start: the experiment, unless the leader has one, and the past of the first units. */
  async begin(units: readonly DemoUnit[], seed: number, signal: AbortSignal): Promise<void> {
    await this.#beginExperiment(units, seed);
    for (const unit of this.#incomplete(units).slice(0, unitsBeforeReady)) await this.#simulate(unit, signal);
  }

  /** Resolves when all data simulated so far is stored. */
  get written(): Promise<void> {
    return this.#writer.written;
  }

  async #beginExperiment(units: readonly DemoUnit[], seed: number): Promise<void> {
    const { progress, pastHours, history, clock } = this.#options;
    if (progress.seed === undefined) {
      const now = Math.floor(clock.now());
      await progress.plan(seed, {
        experiment: demoExperiment,
        experiment_uid: randomUUID(),
        began_at: now - pastHours * hourMs,
        started_at: now,
        units: units.map(({ name }) => name),
      });
    }
    const { past } = progress;
    if (past === undefined) return;
    const isThere = past.is_begun
      ? progress.incompleteUnits.length === 0 || (await history.has(past.experiment_uid))
      : await history.begin({
          uid: past.experiment_uid,
          name: past.experiment,
          description: demoText,
          tags: demoTags,
          beganAt: past.began_at,
          units: past.units.map((unit) => ({ unit, model: demoModel })),
        });
    if (!isThere) await progress.dropPast();
    else if (!past.is_begun) await progress.recordBegun();
  }

  #incomplete(units: readonly DemoUnit[]): readonly DemoUnit[] {
    const { incompleteUnits } = this.#options.progress;
    return units.filter(({ name }) => incompleteUnits.includes(name));
  }

  async #simulate({ name, vial }: DemoUnit, signal: AbortSignal): Promise<void> {
    const { past, seed } = this.#options.progress;
    if (past === undefined || seed === undefined) return;
    const options = {
      // The past has normal speed: the factor applies from now on.
      settings: { ...vial, speed: 1 },
      seed,
      experimentUid: past.experiment_uid,
      fromMs: past.began_at,
      toMs: past.started_at,
    };
    this.#ends.set(name, await this.#writer.write(name, options, signal));
  }

  /** A one-time code for a unit with this data folder; undefined: it needs none. */
  async codeFor(dataFolder: string): Promise<string | undefined> {
    if (existsSync(join(dataFolder, 'storage', 'credentials.json'))) return undefined;
    const people = await this.#leader.listPeople();
    if (people.length === 0) return undefined;
    return (await this.#leader.createEnrolmentCode({ body: { reactor_unit: null } })).code;
  }

  /** Adds units without a past to the leader's inventory, once. */
  async addUnits(units: readonly DemoUnit[], signal: AbortSignal): Promise<void> {
    const { progress } = this.#options;
    const newUnits = progress.unitsToAdd(units.map(({ name }) => name));
    if (newUnits.length === 0) return;
    const model = { model_name: demoModel.name, model_version: demoModel.version };
    for (const reactor_unit of newUnits)
      await this.#leader.registerWorker({ body: { reactor_unit, ...model }, signal });
    await progress.recordAdded(newUnits);
  }

  /** Calibrates the pumps of a unit that is up: what doses can be tried as soon as the demonstration is ready. */
  async calibrate({ name }: DemoUnit, node: UnitNode): Promise<void> {
    const { progress, clock } = this.#options;
    if (progress.incompleteUnits.includes(name)) await calibratePumps(name, node, clock.now());
  }

  /** Completes the beginning of a unit that is up: its past, unless it is there, and its jobs. */
  async complete(unit: DemoUnit, node: UnitNode, signal: AbortSignal): Promise<void> {
    const { progress } = this.#options;
    await this.#dropDeleted();
    if (!this.#ends.has(unit.name)) {
      await this.#simulate(unit, signal);
      await this.#writer.written;
      const vial = this.vialOf(unit.name);
      if (vial !== undefined) await node.replaceVial(vial.state, vial.passS);
    }
    const { past } = progress;
    if (past === undefined) return;
    for (const [key, value] of Object.entries(this.#ends.get(unit.name)?.memory ?? {})) {
      // After a crash its jobs may be running with newer values.
      const isKnown = node.memory.read(past.experiment_uid, key) !== undefined;
      if (!isKnown) node.memory.write(past.experiment_uid, key, value);
    }
    if (await this.#isInExperiment(unit.name, past.experiment, signal)) {
      for (const job of demoJobs) {
        const isRunning = node.jobs.running().some(({ origin }) => origin.jobName === job.job);
        if (!isRunning) await this.#run(unit.name, past.experiment, job, signal);
      }
    }
    signal.throwIfAborted();
    await progress.recordComplete(unit.name);
    await this.#dropDeleted();
  }

  /** The experiment may have been deleted meanwhile: it does not begin again. */
  async #dropDeleted(): Promise<void> {
    const { progress, history } = this.#options;
    if (progress.past !== undefined && !(await history.has(progress.past.experiment_uid))) await progress.dropPast();
  }

  /** Waits until the unit has applied its assignment. False when a person has assigned it elsewhere meanwhile. */
  async #isInExperiment(unit: string, experiment: string, signal: AbortSignal): Promise<boolean> {
    const { wire } = this.#options;
    const until = wire.monotonic() + memberWithinMs;
    const isMember = async () =>
      (await this.#leader.listUnits({ signal })).some(
        ({ reactor_unit, liveness, desired_version, applied_version }) =>
          reactor_unit === unit && liveness === 'online' && applied_version > 0 && applied_version === desired_version,
      );
    while (!(await isMember())) {
      if (wire.monotonic() > until)
        throw new StartupError(
          `${unit} did not join within ${memberWithinMs / 1000} s. Read its log, then start the demonstration again.`,
        );
      await wire.sleep(pollMs, signal);
    }
    const assignments = await this.#leader.listAssignments({ signal });
    return assignments.some((one) => one.reactor_unit === unit && one.experiment === experiment);
  }

  async #run(
    reactor_unit: string,
    experiment: string,
    { job, options }: (typeof demoJobs)[number],
    signal: AbortSignal,
  ): Promise<void> {
    const { own, wire, log } = this.#options;
    const params = { reactor_unit, job, experiment };
    // A person may have changed the unit meanwhile; the others are still started.
    const complain = (cause: unknown) =>
      log.warn('A job of the demonstration did not start', { unit: reactor_unit, job, cause });
    try {
      const body = { options, env: { JOB_SOURCE: 'demo' } };
      const accepted = await this.#leader.runWorkerJob({ params, body, signal });
      const sleep = (ms: number) => wire.sleep(ms, signal);
      const ended = await waitForTask(own.baseUrl, accepted, { sleep, signal, headers: own.headers });
      const outcome = unitOutcomes(ended).get(reactor_unit);
      if (outcome?.ok !== true) complain(outcome ?? ended);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      complain(error.body.cause);
    }
  }
}
