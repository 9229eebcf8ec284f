import { ProblemError, type Session } from '@lcs/contract';
import type { PageClock } from '../time/page-clock.ts';
import { servicesWords } from '../words/services.ts';

/** Who acts at this shared tablet. */
interface ActingPerson {
  readonly name: string;
  readonly csrfToken: string;
  /** By the clock of this device. */
  readonly endsMs: number;
}

interface PinState {
  /** An action waits for a PIN. */
  readonly isAsked: boolean;
  readonly acting: ActingPerson | null;
}

/** Asks at a shared tablet who acts. The token of the person is kept in this page only. */
export interface PinPrompt {
  /** The CSRF token of the person who acts; while nobody does, waits for a PIN. @throws ProblemError the person has cancelled */
  token(): Promise<string>;
  readonly state: () => PinState;
  subscribe(listener: () => void): () => void;
  begin(person: ActingPerson): void;
  cancel(): void;
  end(): void;
}

interface Waiting {
  readonly resolve: (token: string) => void;
  readonly reject: (error: Error) => void;
}

const cancelled = (): ProblemError =>
  new ProblemError('answer', {
    error: servicesWords.pinCancelled.error,
    cause: servicesWords.pinCancelled.cause,
    remediation: servicesWords.pinCancelled.remediation,
    status: 403,
    code: 'pin_cancelled',
  });

export function createPinPrompt(clock: Pick<PageClock, 'now' | 'after'>): PinPrompt {
  let state: PinState = { isAsked: false, acting: null };
  let waiting: readonly Waiting[] = [];
  let stopTimer = (): void => {};
  const listeners = new Set<() => void>();
  const change = (next: Partial<PinState>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const settle = (answer: (one: Waiting) => void): void => {
    const settled = waiting;
    waiting = [];
    for (const one of settled) answer(one);
  };
  const end = (): void => {
    stopTimer();
    change({ acting: null });
  };
  return {
    token: () => {
      const { acting } = state;
      if (acting !== null && clock.now() < acting.endsMs) return Promise.resolve(acting.csrfToken);
      return new Promise((resolve, reject) => {
        waiting = [...waiting, { resolve, reject }];
        change({ isAsked: true, acting: null });
      });
    },
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    begin: (acting) => {
      stopTimer();
      stopTimer = clock.after(acting.endsMs - clock.now(), end);
      change({ isAsked: false, acting });
      settle(({ resolve }) => resolve(acting.csrfToken));
    },
    cancel: () => {
      change({ isAsked: false });
      settle(({ reject }) => reject(cancelled()));
    },
    end,
  };
}

/** Whether a request from a shared tablet needs a person: it changes something, and is not about the session itself. */
export const needsPin = (session: Pick<Session, 'kind'> | undefined, method: string, path: string): boolean =>
  session?.kind === 'tablet' && method !== 'GET' && !path.startsWith('/api/session');
