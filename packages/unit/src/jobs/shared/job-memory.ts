import type { Json } from '@lcs/contract';

/**
 * What jobs keep from one run to the next, by experiment. Reading is immediate; a write is on disk some seconds later, or after
 * `flush`.
 */
export interface JobMemory {
  /** `experimentUid`: see JobContext; `$experiment` for the unit itself. */
  read(experimentUid: string, key: string): Json | undefined;
  /** Null forgets. */
  write(experimentUid: string, key: string, value: Json): void;
  /** All writes so far are on disk when it resolves: for values that a request confirms. @throws StoreError */
  flush(): Promise<void>;
}

/** Memory that lives as long as the process. */
export function passingMemory(): JobMemory {
  const values = new Map<string, Json>();
  const name = (experimentUid: string, key: string) => `${experimentUid}/${key}`;
  return {
    read: (experimentUid, key) => values.get(name(experimentUid, key)),
    write: (experimentUid, key, value) => {
      if (value === null) values.delete(name(experimentUid, key));
      else values.set(name(experimentUid, key), value);
    },
    flush: async () => {},
  };
}
