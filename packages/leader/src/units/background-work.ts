import type { Clock, Log } from '@lcs/platform';

/** Work that nobody waits for, except virtual time and the end of its service. */
export class BackgroundWork {
  readonly #options: { readonly clock: Clock; readonly log: Log };
  readonly #running = new Set<Promise<void>>();

  constructor(options: { readonly clock: Clock; readonly log: Log }) {
    this.#options = options;
  }

  /** @param what for the log, such as `the documents of units` */
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

  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }
}
