import { type LifecycleOptions, type ServiceNode, startInOrder, stopInReverse, stopLimitOf } from './in-order.ts';
import { type LifecycleEvent, type LifecycleState, nextLifecycleState } from './lifecycle-state.ts';

/** Extra time, so that a tree reports which of its services hangs before the tree above reports the whole tree. */
const reportingMs = 100;

/**
 * A service of services, which may be trees themselves: starts them in order, stops them in reverse order and waits. It starts once; after
 * `stop` or a failed start, create a new one.
 */
export class LifecycleTree implements ServiceNode {
  readonly name: string;
  readonly #parts: readonly ServiceNode[];
  readonly #options: LifecycleOptions;
  readonly #cut = new AbortController();
  #state: LifecycleState = { kind: 'idle' };
  /** Settles when the start has ended, successfully or not. */
  #startEnded: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(name: string, parts: readonly ServiceNode[], options: LifecycleOptions) {
    this.name = name;
    this.#parts = parts;
    this.#options = { ...options, of: name };
  }

  get state(): LifecycleState {
    return this.#state;
  }

  /** The services stop one after the other, each within its own limit. */
  get stopLimitMs(): number {
    return this.#parts.reduce((sum, part) => sum + stopLimitOf(part, this.#options), reportingMs);
  }

  /** Rejects with the error of the service that did not start, or with the reason of `signal` or of the stop that aborted it. */
  async start(signal: AbortSignal): Promise<void> {
    this.#take({ kind: 'start' });
    const ended = Promise.withResolvers<void>();
    this.#startEnded = ended.promise;
    try {
      await this.#startParts(signal);
    } finally {
      ended.resolve();
    }
  }

  /**
   * Stops everything that was started; a running start is aborted first. Every call returns the same promise: it resolves when all have
   * stopped, or rejects with an AggregateError of those that did not.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    return this.#stopped;
  }

  async #startParts(signal: AbortSignal): Promise<void> {
    const cut = () => this.#cut.abort(signal.reason);
    if (signal.aborted) cut();
    signal.addEventListener('abort', cut, { once: true });
    try {
      await startInOrder(this.#parts, this.#cut.signal, this.#options, (error) =>
        this.#take({ kind: 'start_failed', error }),
      );
      this.#take({ kind: 'started' });
    } catch (error) {
      this.#take({ kind: 'undone' });
      throw error;
    } finally {
      signal.removeEventListener('abort', cut);
    }
  }

  async #stopOnce(): Promise<void> {
    if (this.#state.kind === 'starting' || this.#state.kind === 'undoing') {
      this.#cut.abort(new Error(`${this.name} was stopped before it had started.`));
      await this.#startEnded;
    }
    if (this.#state.kind === 'failed') return;
    const wasRunning = this.#state.kind === 'running';
    this.#take({ kind: 'stop' });
    if (!wasRunning) return;
    try {
      await stopInReverse(this.#parts, this.#options);
    } finally {
      this.#take({ kind: 'all_stopped' });
    }
  }

  #take(event: LifecycleEvent): void {
    this.#state = nextLifecycleState(this.#state, event);
  }
}
