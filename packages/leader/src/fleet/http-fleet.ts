import type { UnitOutcome } from '@lcs/contract';
import type { Clock, Living, Log } from '@lcs/platform';
import type { Fleet, StopRequest } from '../leader-context.ts';
import { Lane } from './lane.ts';
import { failed, readAnswer, readTask } from './outcome.ts';
import { UnitHttp } from './unit-http.ts';

/** How long a command may take, in milliseconds. */
export interface FleetLimits {
  /** For a call to be answered. */
  readonly callMs: number;
  /** For the unit's own task to end, after the call. */
  readonly taskMs: number;
  readonly pollIntervalMs: number;
  /** For one poll to be answered. */
  readonly pollMs: number;
}

export interface HttpFleetOptions {
  readonly wire: Clock;
  /** Where commands take their hold until their outcome is known: the clock of the node, when that one is virtual. */
  readonly holds?: Pick<Clock, 'hold'>;
  readonly log: Log;
  /** Base URL of a unit, or undefined when nobody knows where it is. */
  readonly addressOf: (unit: string) => string | undefined;
  readonly newId: () => string;
  readonly limits?: Partial<FleetLimits>;
}

const defaultLimits: FleetLimits = { callMs: 2000, taskMs: 30_000, pollIntervalMs: 250, pollMs: 3000 };
/** So many units are asked at once; enough for a lab, and a Pi-class leader still breathes. */
const concurrency = 32;

interface Command {
  readonly path: string;
  readonly body?: unknown;
}

/** Why a call ended before its time; what is aborted for it is told by this error. */
class TimeLimitPassed extends Error {}

/** Sends commands to units over HTTP, as the documented interface of a unit has them. Never rejects: one outcome per unit. */
export class HttpFleet implements Fleet, Living {
  readonly name = 'fleet';
  readonly #options: HttpFleetOptions;
  readonly #limits: FleetLimits;
  readonly #http = new UnitHttp();
  readonly #lane = new Lane(concurrency);
  readonly #underWay = new Set<Promise<UnitOutcome>>();
  #stopping = new AbortController();

  constructor(options: HttpFleetOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  /** Ends the calls under way (their outcomes say so) and waits for them. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
    this.#http.close();
  }

  /** Stops wait for nothing else: they are sent at once, however many other commands are under way. */
  async stopJobs(units: readonly string[], request: StopRequest): Promise<Record<string, UnitOutcome>> {
    const command: Command =
      request === 'all'
        ? { path: '/unit_api/jobs/stop/all' }
        : { path: '/unit_api/jobs/stop', body: { experiment: request.experiment } };
    const outcomes = await Promise.all(units.map((unit) => this.#tracked(unit, command)));
    return Object.fromEntries(outcomes.map((outcome) => [outcome.unit, outcome]));
  }

  checkHardware(unit: string, model: { model_name: string; model_version: string }): Promise<UnitOutcome> {
    const body = { model_name: model.model_name, model_version: model.model_version };
    return this.#lane.run(() => this.#tracked(unit, { path: '/unit_api/hardware/check', body }));
  }

  #tracked(unit: string, command: Command): Promise<UnitOutcome> {
    const release = this.#options.holds?.hold(`a command to ${unit}`);
    const outcome = this.#send(unit, command).catch((error: unknown) => {
      this.#options.log.error('a command to a unit failed unexpectedly', { unit, path: command.path, error });
      return failed(unit, 'task_exception', { message: `The command to ${unit} failed in the leader.` }, null, true);
    });
    this.#underWay.add(outcome);
    return outcome.finally(() => {
      this.#underWay.delete(outcome);
      release?.();
    });
  }

  async #send(unit: string, command: Command): Promise<UnitOutcome> {
    const base = this.#options.addressOf(unit);
    if (base === undefined || !URL.canParse(command.path, base)) return this.#unreachable(unit, base);
    const post = async (signal: AbortSignal) => {
      const answer = await this.#http.call({
        method: 'POST',
        url: new URL(command.path, base),
        headers: { 'idempotency-key': this.#options.newId(), 'x-deadline-ms': String(this.#limits.callMs) },
        body: command.body ?? {},
        signal,
      });
      return readAnswer(unit, answer);
    };
    let read: Awaited<ReturnType<typeof post>>;
    try {
      read = await this.#within(this.#limits.callMs, post);
    } catch (error) {
      return this.#noAnswer(unit, command, error);
    }
    return 'resultPath' in read ? this.#follow(unit, new URL(base), read.resultPath) : read;
  }

  /** Asks for the unit's task until it has ended. A poll that gets no answer is no failure before the time is up. */
  async #follow(unit: string, base: URL, path: string): Promise<UnitOutcome> {
    const url = URL.canParse(path, base.origin) ? new URL(path, base) : undefined;
    if (url?.origin !== base.origin) {
      return failed(
        unit,
        'invalid_response',
        { message: `${unit} named a task result that is not its own.` },
        202,
        false,
      );
    }
    let lastPollAnswered = false;
    try {
      return await this.#within(this.#limits.taskMs, async (signal) => {
        for (;;) {
          try {
            const answer = await this.#within(
              this.#limits.pollMs,
              (poll) => this.#http.call({ method: 'GET', url, signal: poll }),
              signal,
            );
            lastPollAnswered = true;
            const outcome = readTask(unit, answer);
            if (outcome) return outcome;
          } catch (error) {
            if (signal.aborted) throw error;
            lastPollAnswered = false;
          }
          await this.#options.wire.sleep(this.#limits.pollIntervalMs, signal);
        }
      });
    } catch (error) {
      return this.#taskNotEnded(unit, lastPollAnswered, error);
    }
  }

  /** Runs `work` with a signal that is aborted after `limitMs` or with `outer`, by default when the fleet stops. */
  async #within<Result>(
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Result>,
    outer: AbortSignal = this.#stopping.signal,
  ): Promise<Result> {
    const limit = new AbortController();
    const cancel = this.#options.wire.after(limitMs, () => limit.abort(new TimeLimitPassed()));
    try {
      return await work(AbortSignal.any([limit.signal, outer]));
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      cancel();
    }
  }

  #unreachable(unit: string, address: string | undefined): UnitOutcome {
    const cause =
      address === undefined
        ? 'The leader does not know its address: the unit has not enrolled.'
        : `Its address '${address}' is not valid.`;
    return failed(
      unit,
      'connection_error',
      {
        message: `${unit} cannot be reached.`,
        cause,
        remediation: 'Start the unit, or enter its address under [cluster.addresses] in the shared configuration.',
      },
      null,
      true,
    );
  }

  #noAnswer(unit: string, command: Command, error: unknown): UnitOutcome {
    return failed(
      unit,
      'connection_error',
      { message: `No answer to POST ${command.path} from ${unit}.`, cause: this.#explain(error, this.#limits.callMs) },
      null,
      true,
    );
  }

  #taskNotEnded(unit: string, lastPollAnswered: boolean, error: unknown): UnitOutcome {
    if (!lastPollAnswered) {
      const text = { message: `${unit} did not answer when asked for its task.` };
      return failed(
        unit,
        'connection_error',
        { ...text, cause: this.#explain(error, this.#limits.taskMs) },
        null,
        true,
      );
    }
    const message = `The task of ${unit} has not ended.`;
    return failed(unit, 'task_timeout', { message, cause: this.#explain(error, this.#limits.taskMs) }, 202, true);
  }

  #explain(error: unknown, limitMs: number): string {
    if (error instanceof TimeLimitPassed) return `Nothing came within ${limitMs / 1000} s.`;
    if (this.#stopping.signal.aborted) return 'The leader was stopping.';
    return error instanceof Error && error.message !== '' ? error.message : String(error);
  }
}
