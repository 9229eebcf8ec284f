import { ApiError, hourMs, minuteMs } from '@lcs/contract';
import type { Clock } from '@lcs/platform';

/** A machine that wants to join, and what a person must know to decide. */
export interface JoiningMachine {
  readonly machineId: string;
  readonly publicKey: string;
  readonly unit: string;
  readonly address: string;
  readonly fingerprint: string;
  readonly replaces: boolean;
}

export interface StoredJoin extends JoiningMachine {
  readonly id: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly isApproved: boolean;
}

/** Machines ask again every few seconds; one that is silent has been switched off. */
const silentMs = 30 * minuteMs;
const refusedMs = hourMs;
/** More than a laboratory has; the oldest make room. */
const joinsAtOnce = 64;

export interface JoinRequestsOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
  /** Called after each change that people see; must not throw. */
  readonly onChange: () => void;
}

/** Requests to join without a one-time code, in memory only: machines repeat them. */
export class JoinRequests {
  readonly #options: JoinRequestsOptions;
  /** By the key: whoever has another key is another machine, whatever it calls itself. */
  readonly #joins = new Map<string, StoredJoin>();
  /** Until when, by the key. */
  readonly #refused = new Map<string, number>();

  constructor(options: JoinRequestsOptions) {
    this.#options = options;
  }

  /** The oldest first. */
  list(): readonly StoredJoin[] {
    const now = this.#options.clock.now();
    for (const [key, { lastSeenAt }] of this.#joins) if (now - lastSeenAt >= silentMs) this.#joins.delete(key);
    return [...this.#joins.values()];
  }

  /**
   * Records that a machine wants to join; returns whether a person has approved exactly this.
   * @throws ApiError enrol_refused
   */
  ask(machine: JoiningMachine): boolean {
    const now = this.#options.clock.now();
    const refusedUntil = this.#refused.get(machine.publicKey) ?? 0;
    if (refusedUntil > now)
      throw new ApiError('enrol_refused', { retryAfterS: Math.ceil((refusedUntil - now) / 1000) });
    const known = this.list().find(({ publicKey }) => publicKey === machine.publicKey);
    // An approval is for what the person has seen.
    const before = known !== undefined && isSame(known, machine) ? known : undefined;
    if (known === undefined) this.#makeRoom();
    this.#joins.set(machine.publicKey, {
      ...machine,
      id: before?.id ?? this.#options.newId(),
      firstSeenAt: before?.firstSeenAt ?? now,
      lastSeenAt: now,
      isApproved: before?.isApproved ?? false,
    });
    if (before === undefined || before.address !== machine.address) this.#options.onChange();
    return before?.isApproved ?? false;
  }

  /** @throws ApiError join_request_not_found */
  approve(id: string): StoredJoin {
    const join = this.#known(id);
    this.#joins.set(join.publicKey, { ...join, isApproved: true });
    this.#options.onChange();
    return join;
  }

  /** @throws ApiError join_request_not_found */
  refuse(id: string): StoredJoin {
    const join = this.#known(id);
    const now = this.#options.clock.now();
    for (const [key, until] of this.#refused) if (until <= now) this.#refused.delete(key);
    this.#refused.set(join.publicKey, now + refusedMs);
    this.#joins.delete(join.publicKey);
    this.#options.onChange();
    return join;
  }

  /** The machine has joined. */
  joined(publicKey: string): void {
    this.#refused.delete(publicKey);
    if (this.#joins.delete(publicKey)) this.#options.onChange();
  }

  #known(id: string): StoredJoin {
    const join = this.list().find((one) => one.id === id);
    if (join === undefined) throw new ApiError('join_request_not_found', { join: id });
    return join;
  }

  #makeRoom(): void {
    const [oldest] = this.#joins.keys();
    if (this.#joins.size >= joinsAtOnce && oldest !== undefined) this.#joins.delete(oldest);
  }
}

const isSame = (one: JoiningMachine, other: JoiningMachine): boolean =>
  one.unit === other.unit && one.machineId === other.machineId && one.replaces === other.replaces;
