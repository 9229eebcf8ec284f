/** Knows whether someone has typed something that is not saved: then the page must not reload by itself. */
export interface UnsavedWork {
  /** Says that there is some, until the returned function is called. */
  hold(): () => void;
  exists(): boolean;
  subscribe(listener: () => void): () => void;
}

export function createUnsavedWork(): UnsavedWork {
  const holds = new Set<symbol>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    hold: () => {
      const mine = Symbol('unsaved');
      holds.add(mine);
      tell();
      return () => {
        holds.delete(mine);
        tell();
      };
    },
    exists: () => holds.size > 0,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
