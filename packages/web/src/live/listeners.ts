/** Functions that are called at each change; `add` returns how to remove the listener. */
export function createListeners<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    add: (listener: (value: Value) => void): (() => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    notify: (value: Value): void => {
      for (const listener of listeners) listener(value);
    },
  };
}
