import type { Clock, Log } from '@lcs/platform';

/**
 * Work that nobody waits for, except the end of its service. In tests virtual time stands still until it has ended: it holds the
 * clock.
 */
export class BackgroundWork {
  readonly #options: { readonly clock: Clock; readonly log: Log };
  readonly #running = new Set<Promise<void>>();

  constructor(options: { readonly clock: Clock; readonly log: Log }) {
    this.#options = options;
  }

  /** @param what in the log, and as the reason to hold the clock: `the documents of units` */
  track(what: string, work: Promise<unknown>): void {
    const { clock, log } = this.#options;
    const release = clock.hold(what);
    const tracked: Promise<void> = work
      .then(
        () => {},
        (error: unknown) => log.error(`${what}: failed unexpectedly`, { error }),
      )
      .finally(() => {
        release();
        this.#running.delete(tracked);
      });
    this.#running.add(tracked);
  }

  /** Resolves when all that was tracked has ended, however. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
