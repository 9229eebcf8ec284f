import { createListeners } from '../live/listeners.ts';

/** The unit whose lines stand out on all charts of a page; charts redraw without being made anew. */
export interface HighlightedUnit {
  /** `null`: no unit is highlighted. */
  current(): string | null;
  set(unit: string | null): void;
  /** Calls `listener` at each change, until the returned function is called. */
  subscribe(listener: () => void): () => void;
}

export function createHighlightedUnit(): HighlightedUnit {
  const listeners = createListeners<void>();
  let highlighted: string | null = null;
  return {
    current: () => highlighted,
    set: (unit) => {
      if (unit === highlighted) return;
      highlighted = unit;
      listeners.notify();
    },
    subscribe: listeners.add,
  };
}
