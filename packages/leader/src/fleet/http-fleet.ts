import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import {
  ApiError,
  type FailedUnitOutcome,
  headersOfNeeded,
  type NeededDesired,
  ownValue,
  type UnitOutcome,
} from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type {
  CommandOptions,
  Fleet,
  NodeAgent,
  NodeHeaders,
  PassedOnAnswer,
  PassedOnRequest,
  ReadOptions,
  StopRequest,
  UnitCommand,
} from '../core/leader-context.ts';
import { Lane } from './lane.ts';
import { failed } from './outcome.ts';
import { ReadCache } from './read-cache.ts';
import { type BegunCall, type Call, type CallLimits, UnitCalls } from './unit-calls.ts';

/** The part of a command that depends on the unit's document, and how far the unit is. */
export interface DocumentDelivery {
  readonly needed: NeededDesired;
  /** `no answer`: the document did not reach the unit. `pending`: the unit has it and is still applying it. */
  readonly is: 'applied' | 'pending' | 'unknown' | 'no answer';
  /** Why there was no answer. */
  readonly cause?: string;
}

/** Time limits of commands and reads, in milliseconds. */
export interface FleetLimits extends CallLimits {
  /** For a read of one unit, including its task and a second attempt. */
  readonly readMs: number;
  /** For a read of many units. */
  readonly readAllMs: number;
  /** For a unit to apply the document that a command requires: jobs of another experiment may have to end. */
  readonly applyMs: number;
}

export interface HttpFleetOptions {
  readonly wire: Clock;
  /** Commands hold this clock until their outcome is known: the clock of the node, if it is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  readonly log: Log;
  /** Base URL of a unit; undefined when it is unknown. */
  readonly addressOf: (unit: string) => string | undefined;
  readonly nodeHeaders: NodeHeaders;
  readonly nodeAgent?: NodeAgent;
  readonly newId: () => string;
  /** Sends a unit its document; undefined: it has none. */
  readonly deliver?: (unit: string, limitMs: number) => Promise<DocumentDelivery | undefined>;
  readonly limits?: Partial<FleetLimits>;
}

const defaultLimits: FleetLimits = {
  callMs: 2000,
  taskMs: 30_000,
  pollIntervalMs: 250,
  pollMs: 3000,
  readMs: 3000,
  readAllMs: 4000,
  applyMs: 10_000,
};
/** Requests to units at a time; enough for a laboratory, and within the capacity of a Raspberry Pi. */
const commandsAtOnce = 32;
/** Reads are short, and many reads without an answer must fit into the time of one. */
const readsAtOnce = 128;

/** Calls that begin in one turn of the event loop: each takes some 0.2 ms. */
const begunInOneTurn = 16;

async function turnsBefore(index: number): Promise<void> {
  for (let turn = Math.floor(index / begunInOneTurn); turn > 0; turn -= 1) await turnOfEventLoop();
}

type Outcomes = Record<string, UnitOutcome>;

const byUnit = (outcomes: readonly UnitOutcome[]): Outcomes =>
  Object.fromEntries(outcomes.map((outcome) => [outcome.unit, outcome]));

/** Sends requests to units over HTTP. Never rejects: each unit has one outcome. */
export class HttpFleet implements Fleet, Service {
  readonly name = 'fleet';
  readonly #options: HttpFleetOptions;
  readonly #limits: FleetLimits;
  readonly #calls: UnitCalls;
  readonly #commands = new Lane(commandsAtOnce);
  readonly #reads = new Lane(readsAtOnce);
  readonly #cache: ReadCache;
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: HttpFleetOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#calls = new UnitCalls(options);
    this.#cache = new ReadCache(() => options.wire.monotonic());
  }

  async start(): Promise<void> {
    this.#calls.start();
  }

  /** Aborts the running calls (their outcomes state it) and waits for them. */
  async stop(): Promise<void> {
    this.#calls.abort();
    await Promise.all(this.#running);
    this.#calls.close();
  }

  /** Stops are sent at once, however many other commands are running. */
  stopJobs(units: readonly string[], request: StopRequest): Promise<Outcomes> {
    const call =
      request === 'all'
        ? ({ method: 'POST', path: '/unit_api/jobs/stop/all', body: {} } as const)
        : ({ method: 'POST', path: '/unit_api/jobs/stop', body: { experiment: request.experiment } } as const);
    return this.command(
      units.map((unit) => ({ unit, ...call })),
      { lane: 'stop' },
    );
  }

  async checkHardware(unit: string, model: { model_name: string; model_version: string }): Promise<UnitOutcome> {
    const body = { model_name: model.model_name, model_version: model.model_version };
    const command = { unit, method: 'POST', path: '/unit_api/hardware/check', body } as const;
    const outcomes = await this.command([command], { lane: 'command' });
    return ownValue(outcomes, unit) ?? unexpected(unit);
  }

  /** Sends commands to units, in parallel within the lane; the outcomes are in the order of the commands. */
  async command(commands: readonly UnitCommand[], options: CommandOptions): Promise<Outcomes> {
    const inLane = (work: () => Promise<BegunCall>) => (options.lane === 'stop' ? work() : this.#commands.run(work));
    const send = (command: UnitCommand, index: number) =>
      this.#tracked(command.unit, command, async () => {
        await turnsBefore(index);
        const delivery = options.requiresChanges ? await this.#deliver(command.unit, options.deadline) : undefined;
        if (delivery?.is === 'no answer') return notDelivered(command.unit, delivery);
        const begun = await inLane(() => this.#begin(command, options, delivery));
        // The place is free for the next unit while this fleet follows the task.
        return 'follow' in begun ? begun.follow() : begun;
      });
    return byUnit(await Promise.all(commands.map(send)));
  }

  /** Sends the same read to units; the outcomes are in the order of the units' names. Ends within 4 s by default. */
  async read(units: readonly string[], path: string, options: ReadOptions = {}): Promise<Outcomes> {
    const { isCached = false } = options;
    const { readMs, readAllMs } = { ...this.#limits, ...options.limits };
    const call: Call = { method: 'GET', path };
    const everything = new AbortController();
    const cancel = this.#options.wire.after(readAllMs, () =>
      everything.abort(new Error(`Nothing came within ${readAllMs / 1000} s.`)),
    );
    const one = async (unit: string, index: number): Promise<UnitOutcome> => {
      const known = isCached ? this.#cache.get(unit, path) : undefined;
      if (known !== undefined) return { ok: true, unit, value: known };
      const { drops } = this.#cache;
      const outcome = await this.#reads.run(() =>
        this.#tracked(unit, call, async () => {
          await turnsBefore(index);
          return this.#read(unit, call, readMs, everything.signal);
        }),
      );
      if (isCached && outcome.ok && drops === this.#cache.drops) this.#cache.set(unit, path, outcome.value);
      return outcome;
    };
    try {
      return byUnit(await Promise.all([...units].sort().map(one)));
    } finally {
      cancel();
    }
  }

  forget(units: readonly string[], paths: readonly string[]): void {
    this.#cache.drop(units, paths);
  }

  /** Waits as long as its caller permits: a person waits for the result. */
  async passOn(unit: string, { waits, ...request }: PassedOnRequest): Promise<PassedOnAnswer> {
    const release = waits ? undefined : this.#options.holds?.hold(`a request passed on to ${unit}`);
    const answer = this.#passOn(unit, request);
    const settled = answer.then(
      () => {},
      () => {},
    );
    this.#running.add(settled);
    try {
      return await answer;
    } finally {
      this.#running.delete(settled);
      release?.();
    }
  }

  async #passOn(
    unit: string,
    { limitMs, signal, requiresChanges, ...request }: PassedOnRequest,
  ): Promise<PassedOnAnswer> {
    const { newId, wire } = this.#options;
    const begunMs = wire.monotonic();
    const delivery = requiresChanges ? await this.#deliver(unit, begunMs + limitMs) : undefined;
    if (delivery?.is === 'no answer') throw new ApiError('unit_gave_no_answer', { unit, cause: causeOf(delivery) });
    const headers = { 'idempotency-key': newId(), ...headersFor(delivery) };
    const leftMs = Math.max(1, limitMs - (wire.monotonic() - begunMs));
    return this.#calls.passOn(unit, { ...request, headers }, leftMs, signal);
  }

  /** What a command to this unit has to wait for there. */
  async #deliver(unit: string, deadline: number | undefined): Promise<DocumentDelivery | undefined> {
    return this.#options.deliver?.(unit, Math.min(this.#limits.callMs, this.#leftMs(deadline)));
  }

  #leftMs(deadline: number | undefined): number {
    return deadline === undefined ? Number.POSITIVE_INFINITY : deadline - this.#options.wire.monotonic();
  }

  #begin(
    command: UnitCommand,
    { idempotencyKey, deadline, taskMs, isSuperseded }: CommandOptions,
    delivery: DocumentDelivery | undefined,
  ): Promise<BegunCall> {
    const leftMs = this.#leftMs(deadline);
    if (leftMs <= 0) return Promise.resolve(tooLate(command.unit));
    if (isSuperseded?.(command.unit)) return Promise.resolve(superseded(command.unit));
    const headers = {
      'idempotency-key': idempotencyKey ?? this.#options.newId(),
      ...headersFor(delivery),
    };
    const { applyMs } = this.#limits;
    const callMs = Math.min(delivery?.is === 'pending' ? applyMs : this.#limits.callMs, leftMs);
    const limits = { ...this.#limits, callMs, ...(taskMs === undefined ? {} : { taskMs }) };
    return this.#calls.begin(command.unit, { ...command, headers }, limits);
  }

  /** One read, with a second attempt when the first got no connection: a unit that is just starting is reachable a moment later. */
  async #read(unit: string, call: Call, readMs: number, signal: AbortSignal): Promise<UnitOutcome> {
    const { wire } = this.#options;
    const { pollIntervalMs } = this.#limits;
    const begun = wire.monotonic();
    const attempt = () => {
      const leftMs = readMs - (wire.monotonic() - begun);
      const limits = { ...this.#limits, callMs: leftMs, taskMs: leftMs, pollMs: leftMs };
      return this.#calls.call(unit, call, limits, signal);
    };
    const first = await attempt();
    const isRefused = !first.ok && first.error.kind === 'connection_error' && !signal.aborted;
    const leftMs = readMs - (wire.monotonic() - begun) - pollIntervalMs;
    if (!isRefused || leftMs <= 0 || this.#calls.isStopping || this.#options.addressOf(unit) === undefined)
      return first;
    await wire.sleep(pollIntervalMs);
    return signal.aborted ? first : attempt();
  }

  #tracked(unit: string, { method, path }: Call, work: () => Promise<UnitOutcome>): Promise<UnitOutcome> {
    const release = this.#options.holds?.hold(`a command to ${unit}`);
    const outcome = work().catch((error: unknown) => {
      this.#options.log.error('a call to a unit failed unexpectedly', { unit, method, path, error });
      return unexpected(unit);
    });
    this.#running.add(outcome);
    return outcome.finally(() => {
      this.#running.delete(outcome);
      release?.();
    });
  }
}

const unexpected = (unit: string): UnitOutcome =>
  failed(unit, 'task_exception', { message: `The call to ${unit} failed in the leader.` }, null, true);

/** The outcome that the unit would have returned. */
function refused(unit: string, { status, body: { error, cause, remediation } }: ApiError, retryable: boolean) {
  return failed(unit, 'http_error', { message: error, cause, remediation }, status, retryable);
}

const tooLate = (unit: string): UnitOutcome => refused(unit, new ApiError('deadline_passed', {}), true);
const superseded = (unit: string): UnitOutcome =>
  refused(unit, new ApiError('job_start_overtaken', { job: 'The job' }), false);

const headersFor = (delivery: DocumentDelivery | undefined) => (delivery ? headersOfNeeded(delivery.needed) : {});

const causeOf = ({ needed, cause }: DocumentDelivery): string =>
  `It did not take version ${needed.version} of its desired state, which this command follows.${cause ? ` ${cause}` : ''}`;

function notDelivered(unit: string, delivery: DocumentDelivery): FailedUnitOutcome {
  const message = `No answer to PUT /unit_api/desired from ${unit}.`;
  return failed(unit, 'connection_error', { message, cause: causeOf(delivery) }, null, true);
}
