import { ApiError } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { JobRequest } from './job-definition.ts';

/** One start per name and second, for all experiments together. */
const startWindowMs = 1_000;

/** The most pending starts; older ones are revoked. */
const maxOpen = 1_000;

/** A pending start. */
export interface StartReservation {
  /** Increases with each requested start. */
  readonly generation: number;
  readonly request: JobRequest;
  /** Whether a later stop has revoked the start. */
  isRevoked: boolean;
  /** Set while it runs. */
  settled: PromiseWithResolvers<void> | undefined;
}

/** The accepted starts that have not happened yet: a later stop takes precedence over them. */
export class StartReservations {
  readonly #wire: Clock;
  readonly #open = new Map<number, StartReservation>();
  readonly #lastByName = new Map<string, number>();
  #generation = 0;

  constructor(wire: Clock) {
    this.#wire = wire;
  }

  /** Discounts the last request, which was only a preview and may be repeated at once. */
  discountRequest(name: string): void {
    this.#lastByName.delete(name);
  }

  /**
   * Counts a request against the rate limit; a rejected one does not prolong the window. Only for existing names.
   * @throws ApiError `job_requested_recently`
   */
  countRequest(name: string): void {
    const nowMs = this.#wire.monotonic();
    const lastMs = this.#lastByName.get(name);
    const retryAfterMs = lastMs === undefined ? 0 : startWindowMs - (nowMs - lastMs);
    if (retryAfterMs > 0) {
      const retryAfterS = Math.ceil(retryAfterMs / 1_000);
      throw new ApiError('job_requested_recently', { job: name, retryAfterMs, retryAfterS }, [
        { retry_after_ms: Math.ceil(retryAfterMs) },
      ]);
    }
    this.#lastByName.set(name, nowMs);
  }

  /** Counts a request with an invalid body: it begins a window like any other. */
  countInvalid(name: string): void {
    const lastMs = this.#lastByName.get(name);
    const nowMs = this.#wire.monotonic();
    if (lastMs === undefined || nowMs - lastMs >= startWindowMs) this.#lastByName.set(name, nowMs);
  }

  open(request: JobRequest): StartReservation {
    this.#generation += 1;
    const reservation = { generation: this.#generation, request, isRevoked: false, settled: undefined };
    this.#open.set(reservation.generation, reservation);
    // Drops the oldest, because a start with a cancelled task is never used.
    this.#open.delete(this.#generation - maxOpen);
    return reservation;
  }

  /**
   * Runs the part of a start before its job is visible, unless a stop came first.
   * @throws ApiError `job_start_overtaken`
   */
  async use<Result>(
    job: string,
    generation: number,
    work: (reservation: StartReservation) => Promise<Result>,
  ): Promise<Result> {
    const reservation = this.#open.get(generation);
    if (reservation === undefined || reservation.isRevoked) {
      this.#open.delete(generation);
      throw new ApiError('job_start_overtaken', { job });
    }
    reservation.settled = Promise.withResolvers<void>();
    try {
      return await work(reservation);
    } finally {
      this.#open.delete(generation);
      reservation.settled.resolve();
    }
  }

  /** Revokes the matching pending starts; resolves when none of them is running. */
  async revoke(matches: (request: JobRequest) => boolean): Promise<void> {
    const revoked = [...this.#open.values()].filter(({ request }) => matches(request));
    for (const reservation of revoked) reservation.isRevoked = true;
    await Promise.all(revoked.map(({ settled }) => settled?.promise));
  }
}
