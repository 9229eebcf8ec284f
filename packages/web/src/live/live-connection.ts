import type { LiveEventName } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';
import { type ConnectionEvent, type ConnectionState, nextConnectionState, retryDelayMs } from './connection-state.ts';

/** What is used of the browser's EventSource. */
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
  /** Takes the data of an event, as text, and its id. */
  readonly onEvent: (name: LiveEventName, data: string, id: string) => void;
  /** Asks the leader for a sign of life; rejects when there is none. */
  readonly probe: () => Promise<void>;
  readonly random: () => number;
}

/** The one event stream of a page. */
export interface LiveConnection {
  start(): void;
  stop(): void;
  /** Gives the connection back until `wake`. */
  rest(): void;
  /** Opens the stream now instead of at the next try; does nothing while it is live. */
  wake(): void;
  /** An answer of the leader has come over the wire. */
  noteAnswer(): void;
  getState(): ConnectionState;
  /** Calls `listener` at each change of the state, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

/** `EventSource.CLOSED`: the browser has given up and will not try again by itself. */
const closed = 2;

/**
 * After this time without an event the page probes the leader: a cut cable closes no connection. Less than half of
 * the time after which what a page shows does not pass for the present any more.
 */
const silenceMs = 2_000;

const heardPauseMs = 1000;

export function createLiveConnection(options: LiveConnectionOptions): LiveConnection {
  const { clock, eventNames, onEvent, probe, random } = options;
  const listeners = new Set<() => void>();
  let state: ConnectionState = { phase: 'connecting', since: clock.now() };
  let stream: EventStream | undefined;
  let cancelTimer: (() => void) | undefined;
  let failures = 0;

  const note = (event: ConnectionEvent): void => {
    const next = nextConnectionState(state, event, clock.now());
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };

  const schedule = (delayMs: number, action: () => void): void => {
    cancelTimer?.();
    cancelTimer = clock.after(delayMs, action);
  };

  const closeStream = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
    stream?.close();
    stream = undefined;
  };

  const retryLater = (): void => {
    closeStream();
    failures += 1;
    note('broke');
    schedule(retryDelayMs(failures, random()), connect);
  };

  const heard = (): void => {
    // Many words in a second are one sign of life: everything that shows the connection would be drawn for each.
    if (state.phase === 'live' && clock.now() - state.heardAt < heardPauseMs) return;
    note('heard');
    watchSilence();
  };

  const watchSilence = (): void => {
    const watched = stream;
    schedule(silenceMs, () => {
      probe().then(
        () => {
          if (stream === watched) heard();
        },
        () => {
          if (stream === watched) retryLater();
        },
      );
    });
  };

  const connect = (): void => {
    closeStream();
    const opened = options.open();
    stream = opened;
    opened.addEventListener('open', () => {
      if (stream !== opened) return;
      failures = 0;
      note('opened');
      watchSilence();
    });
    opened.addEventListener('error', () => {
      if (stream !== opened) return;
      // The browser's own retry sends the last event id, so that the stream can be resumed: it goes first.
      if (opened.readyState === closed) retryLater();
      else note('broke');
    });
    for (const name of eventNames) {
      opened.addEventListener(name, ({ data, lastEventId = '' }) => {
        if (stream !== opened || typeof data !== 'string') return;
        heard();
        onEvent(name, data, lastEventId);
      });
    }
  };

  return {
    start: connect,
    stop: closeStream,
    rest: () => {
      closeStream();
      note('rested');
    },
    wake: () => {
      if (state.phase === 'live') return;
      note('broke');
      connect();
    },
    noteAnswer: () => note('answered'),
    getState: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
