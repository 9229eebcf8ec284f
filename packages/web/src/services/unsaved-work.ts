/** Whether entered text is not saved yet: then the web UI must not reload by itself. */
export interface UnsavedWork {
  /** Records unsaved text until the returned function is called. */
  hold(): () => void;
  exists(): boolean;
  subscribe(listener: () => void): () => void;
}

export function createUnsavedWork(): UnsavedWork {
  const holds = new Set<symbol>();
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    hold: () => {
      const mine = Symbol('unsaved');
      holds.add(mine);
      notify();
      return () => {
        holds.delete(mine);
        notify();
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
