import { createListeners } from '../live/listeners.ts';

/** Notices in a corner of the page. What draws them is loaded with the first one. */
export interface Toasts {
  /** A notice is to be shown. */
  want(): void;
  areWanted(): boolean;
  subscribe(listener: () => void): () => void;
}

export function createToasts(): Toasts {
  const listeners = createListeners<void>();
  let areWanted = false;
  return {
    want: () => {
      if (areWanted) return;
      areWanted = true;
      listeners.notify();
    },
    areWanted: () => areWanted,
    subscribe: listeners.add,
  };
}
