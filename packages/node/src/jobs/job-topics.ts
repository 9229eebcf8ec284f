import type { JobOrigin } from './job-definition.ts';

/** A wish of an outside client. */
export interface SetOrder {
  readonly jobName: string;
  /** Undefined: whatever experiment the job runs in. */
  readonly experiment: string | undefined;
  readonly setting: string;
}

type Place = Pick<JobOrigin, 'jobName' | 'experiment'>;

export const stateTopic = (unit: string, { experiment, jobName }: Place): string =>
  `reactor/${unit}/${experiment}/${jobName}/$state`;

export const settingTopic = (unit: string, { experiment, jobName }: Place, setting: string): string =>
  `reactor/${unit}/${experiment}/${jobName}/${setting}`;

/** What a unit subscribes to for wishes. */
export const setTopicFilters = (unit: string): readonly string[] =>
  [unit, '$broadcast'].map((who) => `reactor/${who}/+/+/+/set`);

/** Reads a `…/set` topic; undefined when it is none, or for another unit. */
export function readSetTopic(unit: string, topic: string): SetOrder | undefined {
  const [root, who, experiment, jobName, setting, verb, ...more] = topic.split('/');
  if (root !== 'reactor' || (who !== unit && who !== '$broadcast') || verb !== 'set' || more.length > 0)
    return undefined;
  if (!experiment || !jobName || !setting) return undefined;
  // A state may be wished for without knowing the experiment.
  const isForAll = experiment === '$experiment' && setting === '$state';
  return { jobName, experiment: isForAll ? undefined : experiment, setting };
}
