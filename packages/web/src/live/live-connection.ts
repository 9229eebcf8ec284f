import type { LiveEventName } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';
import { type ConnectionEvent, type ConnectionState, nextConnectionState, retryDelayMs } from './connection-state.ts';
import { createListeners } from './listeners.ts';

/** The part of the browser's EventSource that is used. */
export interface EventStream {
  readonly readyState: number;
  addEventListener(
    name: string,
    listener: (event: { readonly data?: unknown; readonly lastEventId?: string }) => void,
  ): void;
  close(): void;
}

export interface LiveConnectionOptions {
  readonly open: () => EventStream;
  readonly clock: PageClock;
  readonly eventNames: readonly LiveEventName[];
  /** Receives the data of an event, as text, and its id. */
  readonly onEvent: (name: LiveEventName, data: string, id: string) => void;
  /** Sends a request to the leader; rejects without a response. */
  readonly probe: () => Promise<void>;
  readonly random: () => number;
}

/** The event stream of the web UI. */
export interface LiveConnection {
  start(): void;
  stop(): void;
  /** Closes the stream until `resume`. */
  suspend(): void;
  /** Opens the stream now instead of at the next try; does nothing while it is live. */
  resume(): void;
  /** The leader responded to a request. */
  noteAnswer(): void;
  getState(): ConnectionState;
  /** Calls `listener` at each change of the state, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** `EventSource.CLOSED`: the browser does not retry. */
const closed = 2;

/**
 * After this time without an event the web UI probes the leader: a cut cable closes no connection. Less than half of
 * the time for which the shown data count as current.
 */
const silenceMs = 2_000;

const answerPauseMs = 1000;

class StreamConnection implements LiveConnection {
  readonly #options: LiveConnectionOptions;
  readonly #listeners = createListeners<void>();
  #state: ConnectionState;
  #stream: EventStream | undefined;
  #cancelTimer: (() => void) | undefined;
  #failures = 0;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#state = { phase: 'connecting', since: options.clock.now() };
  }

  readonly start = (): void => this.#connect();
  readonly stop = (): void => this.#closeStream();
  readonly suspend = (): void => {
    this.#closeStream();
    this.#apply('suspended');
  };
  readonly resume = (): void => {
    if (this.#state.phase === 'live') return;
    this.#apply('broke');
    this.#connect();
  };
  readonly noteAnswer = (): void => this.#apply('answered');
  readonly getState = (): ConnectionState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener);

  #apply(event: ConnectionEvent): void {
    const next = nextConnectionState(this.#state, event, this.#options.clock.now());
    if (next === this.#state) return;
    this.#state = next;
    this.#listeners.notify();
  }

  #schedule(delayMs: number, action: () => void): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.clock.after(delayMs, action);
  }

  #closeStream(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#stream?.close();
    this.#stream = undefined;
  }

  #retryLater(): void {
    this.#closeStream();
    this.#failures += 1;
    this.#apply('broke');
    this.#schedule(retryDelayMs(this.#failures, this.#options.random()), () => this.#connect());
  }

  #onAnswer(): void {
    const { clock } = this.#options;
    // Many events in a second count once: otherwise each would redraw everything that shows the connection.
    if (this.#state.phase === 'live' && clock.now() - this.#state.receivedAt < answerPauseMs) return;
    this.#apply('received');
    this.#watchSilence();
  }

  #watchSilence(): void {
    const watched = this.#stream;
    this.#schedule(silenceMs, () => {
      this.#options.probe().then(
        () => {
          if (this.#stream !== watched) return;
          // Not as an event: the response itself was noted a moment ago, and the next silence must be noticed, too.
          this.#apply('received');
          this.#watchSilence();
        },
        () => {
          if (this.#stream === watched) this.#retryLater();
        },
      );
    });
  }

  #connect(): void {
    this.#closeStream();
    const opened = this.#options.open();
    this.#stream = opened;
    opened.addEventListener('open', () => {
      if (this.#stream !== opened) return;
      this.#failures = 0;
      this.#apply('opened');
      this.#watchSilence();
    });
    opened.addEventListener('error', () => {
      if (this.#stream !== opened) return;
      // The browser retries first: its request has the last event id, so that the leader can resume the stream.
      if (opened.readyState === closed) this.#retryLater();
      else this.#apply('broke');
    });
    for (const name of this.#options.eventNames) {
      opened.addEventListener(name, ({ data, lastEventId = '' }) => {
        if (this.#stream !== opened || typeof data !== 'string') return;
        this.#onAnswer();
        this.#options.onEvent(name, data, lastEventId);
      });
    }
  }
}

export const createLiveConnection = (options: LiveConnectionOptions): LiveConnection => new StreamConnection(options);
