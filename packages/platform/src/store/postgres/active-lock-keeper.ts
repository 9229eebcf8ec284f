import type { Service } from '../../lifecycle/in-order.ts';
import { StoreError } from '../store-error.ts';
import { ActiveLock, type ActiveLockOptions, type ActiveProcess, type ActiveState } from './active-lock.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** The lock of a process that was killed is free at once, that of a machine that is gone some seconds later. */
const longestStartMs = 12_000;

export interface KeeperOptions extends ActiveLockOptions {
  readonly self: Omit<ActiveProcess, 'url'>;
  /** Another process was or is active: this one must end. */
  readonly onTaken: () => void;
}

type Outcome = 'own' | 'taken';

/**
 * Keeps the lock of the active process for a node that outlives its connection to the server: it requests it again. Nothing may be
 * written meanwhile. If another process has been active since, it reports that.
 */
export class ActiveLockKeeper implements Service, ActiveState {
  readonly name = 'active lock';
  readonly #options: KeeperOptions;
  readonly #ending = new AbortController();
  #lock: ActiveLock;
  #following: Promise<void> = Promise.resolve();
  #listening: { readonly channel: string; readonly listener: (payload: string) => void } | undefined;
  #announced: ActiveProcess;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#announced = { ...options.self, url: null };
    this.#lock = new ActiveLock(options);
  }

  get isHeld(): boolean {
    return this.#lock.isHeld;
  }

  isConfirmed(connection: PostgresConnection): Promise<boolean> {
    return this.#lock.isConfirmed(connection);
  }

  /** @throws StoreError when another process is active, or the server is away */
  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#acquire(signal);
      await this.#lock.announce(this.#announced);
    } catch (error) {
      await this.#lock.release();
      throw error;
    }
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#lock.release();
    await this.#following;
  }

  /** As `ActiveLock.announce`. */
  async announce(active: ActiveProcess): Promise<void> {
    this.#announced = active;
    await this.#lock.announce(active);
  }

  /** As `ActiveLock.listen`, also after the lock was lost. Called once at most. */
  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#listening = { channel, listener };
    await this.#lock.listen(channel, listener);
  }

  /** As `ActiveLock.notify`. */
  notify(channel: string, payload: string): Promise<void> {
    return this.#lock.notify(channel, payload);
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const deadlineMs = clock.monotonic() + longestStartMs;
    while (!(await this.#lock.request())) {
      if (clock.monotonic() > deadlineMs) {
        const url = (await this.#lock.lastActive())?.url;
        throw new StoreError(
          'database_in_use',
          `Another process is active on this database${url ? `, at ${url}` : ''}. Stop it, or start a standby with \`lcs control\`.`,
        );
      }
      await clock.sleep(250, signal);
    }
  }

  async #follow(): Promise<void> {
    const { log, onTaken } = this.#options;
    const { signal } = this.#ending;
    for (;;) {
      await Promise.race([this.#lock.lost, aborted(signal)]);
      if (signal.aborted) return;
      log.warn('The lock of the active process is lost: nothing is stored until it is there again');
      if ((await this.#again(signal)) === 'own') {
        log.info('The lock of the active process is there again');
        continue;
      }
      if (signal.aborted) return;
      log.error('Another process is active on this database: this one ends');
      onTaken();
      return;
    }
  }

  async #again(signal: AbortSignal): Promise<Outcome> {
    const { self } = this.#options;
    const lock = new ActiveLock(this.#options);
    this.#lock = lock;
    const isOwn = async () => (await lock.lastActive())?.process === self.process;
    const taken = new AbortController();
    try {
      await lock.wait(AbortSignal.any([signal, taken.signal]), async () => {
        if (!(await isOwn())) taken.abort();
      });
      if (!(await isOwn())) return 'taken';
      await lock.announce(this.#announced);
      if (this.#listening) await lock.listen(this.#listening.channel, this.#listening.listener);
      return 'own';
    } catch (error) {
      if (!signal.aborted && !taken.signal.aborted)
        this.#options.log.error('The lock of the active process cannot be requested', { error });
      return 'taken';
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
