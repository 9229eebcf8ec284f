/** Whether something that a person entered is not saved yet, in the whole web UI or in one dialog. */
export interface UnsavedWork {
  /** Records unsaved text until the returned function is called. */
  hold(): () => void;
  exists(): boolean;
  subscribe(listener: () => void): () => void;
}

/** What is held here is held in `whole`, too. */
export function createUnsavedWork(whole?: UnsavedWork): UnsavedWork {
  const holds = new Set<symbol>();
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    hold: () => {
      const mine = Symbol('unsaved');
      holds.add(mine);
      const release = whole?.hold();
      notify();
      return () => {
        holds.delete(mine);
        release?.();
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
