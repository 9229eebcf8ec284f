import type { Cancel, Clock, Service } from '@lcs/platform';
import { type GuardEvent, type GuardLink, GuardLost } from './guard-link.ts';
import { heartbeatMs } from './guard-message.ts';
import {
  type GuardLimits,
  type GuardRequest,
  type OutputId,
  outputIds,
  type PastRun,
  type RefusalCode,
  type Wiring,
} from './guard-types.ts';
import { PastRuns } from './past-runs.ts';

/** The guard does not allow it. */
export class GuardRefused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, kind: string) {
    super(`The actuator guard refuses "${kind}": ${code}.`);
    this.name = 'GuardRefused';
    this.code = code;
  }
}

export interface ActuatorsOptions {
  readonly guard: GuardLink;
  /** Clock of the heartbeat; undefined when the guard is not a process of its own. */
  readonly wire: Clock | undefined;
}

/** Outputs that a job holds. All methods throw GuardRefused or GuardLost. */
export interface OutputLease {
  /** Resolves when the output is there. `forMs`: the guard then switches it off by itself. */
  set(output: OutputId, percent: number, forMs?: number): Promise<void>;
  /** Everything it holds is off. */
  release(): Promise<void>;
}

/** The node's client of the guard: leases for jobs, heartbeats, and the initial state of a new guard. */
export class Actuators implements Service {
  readonly name = 'actuators';
  readonly #options: ActuatorsOptions;
  readonly #held = new Set<string>();
  readonly #stoppedUpTo = new Map<OutputId, number>();
  #limits: GuardLimits | null = null;
  #wiring: Wiring | undefined;
  /** Undefined where the guard ends with its node. */
  readonly #past: PastRuns | undefined;
  #lastLease = 0;
  #cancelHeartbeat: Cancel = () => {};
  #answeredMs = 0;

  constructor(options: ActuatorsOptions) {
    this.#options = options;
    this.#past = options.wire === undefined ? undefined : new PastRuns();
  }

  async start(): Promise<void> {
    const { wire } = this.#options;
    this.#answeredMs = this.#now();
    if (wire !== undefined) this.#cancelHeartbeat = wire.every(heartbeatMs, () => void this.#sendHeartbeat());
  }

  async stop(): Promise<void> {
    this.#cancelHeartbeat();
  }

  /** How long the guard has not answered a heartbeat; 0 where it ends with its node. */
  get guardSilentMs(): number {
    return this.#now() - this.#answeredMs;
  }

  /** Call it with each event of the guard. A new guard has no state: it receives limits and stops again. */
  async take(event: GuardEvent): Promise<void> {
    if (event.what === 'lease_lost') this.#held.delete(event.lease);
    if (event.what === 'guard_lost' || event.what === 'parent_lost') this.#held.clear();
    if (event.what !== 'guard_ready') return;
    // Before any other request: no output may be used with the wiring of the first start.
    if (this.#wiring !== undefined) await this.#request({ kind: 'wiring', wiring: this.#wiring });
    for (const [output, generation] of this.#stoppedUpTo) {
      await this.#request({ kind: 'stop', generation, outputs: [output] });
    }
    const runs = this.#past?.lastHour(this.#now()) ?? [];
    if (runs.length > 0) await this.#request({ kind: 'past_runs', runs });
    await this.#request({ kind: 'limits', limits: this.#limits });
  }

  /** Pump runs from before this node started: they count towards the hourly limit. @throws GuardRefused, GuardLost */
  async recall(runs: readonly PastRun[]): Promise<void> {
    this.#past?.add(runs, this.#now());
    await this.#request({ kind: 'past_runs', runs });
  }

  /** null: the model is unknown. An output whose own limits change is switched off. @throws GuardLost */
  async setLimits(limits: GuardLimits | null): Promise<void> {
    this.#limits = limits;
    await this.#request({ kind: 'limits', limits });
  }

  /**
   * What the PWM channels drive. Effective as soon as no lease holds a PWM output; until then channels that change cannot be
   * leased. @throws GuardLost; the next guard still receives the wiring
   */
  async setWiring(wiring: Wiring): Promise<void> {
    this.#wiring = wiring;
    await this.#request({ kind: 'wiring', wiring });
  }

  /** @throws GuardRefused `stopped`, `output_taken`, `wiring_changes`; GuardLost */
  async acquire(generation: number, outputs: readonly OutputId[]): Promise<OutputLease> {
    this.#lastLease += 1;
    const lease = `lease ${this.#lastLease}`;
    await this.#request({ kind: 'acquire', lease, generation, outputs });
    this.#held.add(lease);
    return {
      set: (output, percent, forMs) => {
        const level = { kind: 'set', lease, generation, output, percent } as const;
        const set = this.#request(forMs === undefined ? level : { ...level, forMs });
        const past = this.#past;
        return past === undefined ? set : set.then(() => past.set(output, percent, forMs, this.#now()));
      },
      release: async () => {
        this.#held.delete(lease);
        await this.#request({ kind: 'release', lease });
        this.#past?.ended(outputs, this.#now());
      },
    };
  }

  /** Everything of `generation` and older is off and stays refused, on `outputs` (default: all). @throws GuardLost */
  async stopUpTo(generation: number, outputs: readonly OutputId[] = outputIds): Promise<void> {
    for (const output of outputs) {
      this.#stoppedUpTo.set(output, Math.max(generation, this.#stoppedUpTo.get(output) ?? generation));
    }
    await this.#request({ kind: 'stop', generation, outputs });
  }

  #now(): number {
    return this.#options.wire?.monotonic() ?? 0;
  }

  async #request(request: GuardRequest): Promise<void> {
    const response = await this.#options.guard.request(request);
    if (!response.ok) throw new GuardRefused(response.code, request.kind);
  }

  async #sendHeartbeat(): Promise<void> {
    try {
      // A notice of its own reports a lease that is over; the answer adds nothing.
      await this.#options.guard.request({ kind: 'renew', leases: [...this.#held] });
      this.#answeredMs = this.#now();
    } catch (error) {
      // The link reports the lost guard itself, and starts another one.
      if (!(error instanceof GuardLost)) throw error;
    }
  }
}
