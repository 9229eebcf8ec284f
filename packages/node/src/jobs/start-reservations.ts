import { ApiError } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { JobRequest } from './job-definition.ts';

/** One start of a name per second, whatever the experiment. */
const startWindowMs = 1_000;

/** Starts on their way at a time; older ones are refused. */
const mostOpen = 1_000;

/** A start on its way. */
export interface StartReservation {
  /** Grows with every start asked for. */
  readonly generation: number;
  readonly request: JobRequest;
  /** A stop that came later; the start must not happen any more. */
  isRevoked: boolean;
  /** Set while it is at work. */
  settled: PromiseWithResolvers<void> | undefined;
}

/** Starts that were asked for and have not happened yet: a stop in between must win over them. */
export class StartReservations {
  readonly #wire: Clock;
  readonly #open = new Map<number, StartReservation>();
  readonly #lastByName = new Map<string, number>();
  #generation = 0;

  constructor(wire: Clock) {
    this.#wire = wire;
  }

  /** What was counted last did not become a start: a question of its own, which may be asked again at once. */
  discountRequest(name: string): void {
    this.#lastByName.delete(name);
  }

  /**
   * Counts a request against the rate limit; a refused one does not prolong the window. Only for names that exist.
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

  /** Counts a request that was refused before it could be read: it begins a window as any other. */
  countUnread(name: string): void {
    const lastMs = this.#lastByName.get(name);
    const nowMs = this.#wire.monotonic();
    if (lastMs === undefined || nowMs - lastMs >= startWindowMs) this.#lastByName.set(name, nowMs);
  }

  open(request: JobRequest): StartReservation {
    this.#generation += 1;
    const reservation = { generation: this.#generation, request, isRevoked: false, settled: undefined };
    this.#open.set(reservation.generation, reservation);
    // A start whose task was cancelled is never used; it must not stay for ever.
    this.#open.delete(this.#generation - mostOpen);
    return reservation;
  }

  /**
   * Does what a start needs before its job can be seen, unless a stop came first.
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

  /** Refuses the matching starts on their way; resolves when none of them is in the middle of its work. */
  async revoke(matches: (request: JobRequest) => boolean): Promise<void> {
    const revoked = [...this.#open.values()].filter(({ request }) => matches(request));
    for (const reservation of revoked) reservation.isRevoked = true;
    await Promise.all(revoked.map(({ settled }) => settled?.promise));
  }
}
