import type { JobOrigin } from './job-definition.ts';

/** A request of an MQTT client. */
export interface SetRequest {
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

/** The topics of requests to a unit. */
export const setTopicFilters = (unit: string): readonly string[] =>
  [unit, '$broadcast'].map((who) => `reactor/${who}/+/+/+/set`);

/** Parses a `…/set` topic; undefined for another topic, or another unit. */
export function readSetTopic(unit: string, topic: string): SetRequest | undefined {
  const [root, who, experiment, jobName, setting, verb, ...more] = topic.split('/');
  if (root !== 'reactor' || (who !== unit && who !== '$broadcast') || verb !== 'set' || more.length > 0)
    return undefined;
  if (!experiment || !jobName || !setting) return undefined;
  // A state may be requested without the experiment.
  const isForAll = experiment === '$experiment' && setting === '$state';
  return { jobName, experiment: isForAll ? undefined : experiment, setting };
}
