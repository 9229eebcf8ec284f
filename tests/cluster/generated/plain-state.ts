import { createHash } from 'node:crypto';

/** A note, without its moments. */
export interface PlainNote {
  readonly kind: string;
  readonly text: string;
  readonly author: string | null;
  readonly reactor_unit: string | null;
  readonly volume_ml: number | null;
}

export interface PlainExperiment {
  description: string;
  tags: readonly string[];
  labels: Map<string, string>;
  overview: unknown;
  reactor: unknown;
  /** Units that ever were assigned, sorted. */
  history: string[];
  hasEnded: boolean;
  isArchived: boolean;
  /** All versions, oldest first. */
  groups: (readonly unknown[])[];
  notes: Record<number, PlainNote>;
}

export interface PlainWorker {
  active: 0 | 1;
  model: string | null;
  experiment: string | null;
}

/** All versions of a file. They are kept for ever: comparing them after each request is left to a digest over all. */
export interface PlainHistory {
  readonly versions: number;
  readonly newest: string;
  readonly digest: string;
}

/** A history, longer by one version. */
export const withVersion = (before: PlainHistory | undefined, newest: string): PlainHistory => ({
  versions: (before?.versions ?? 0) + 1,
  newest,
  digest: createHash('sha256')
    .update(`${before?.digest ?? ''} ${newest}`)
    .digest('hex'),
});

/** What the cluster's people have made, as plain data that can be compared. Any text may be a name, `__proto__` too. */
export interface PlainState {
  /** In the order of their creation: `[name, experiment]`. */
  experiments: [string, PlainExperiment][];
  workers: Map<string, PlainWorker>;
  /** Configuration files by their name in the history. */
  configs: Map<string, PlainHistory>;
  /** Text of profiles by file name. */
  profiles: Map<string, string>;
}
