import type { JobNodeFacts } from '@lcs/node';
import type { Cancel, Service } from '@lcs/platform';

export interface ExperimentTopicsOptions {
  readonly unit: string;
  readonly mqtt: {
    publish(topic: string, payload: string, options: { readonly retain: true; readonly qos: 2 }): void;
    /** Topics that were published in this run and say something. */
    retainedBelow(prefix: string): readonly string[];
  };
  /** The experiment that the unit is in. */
  readonly current: () => JobNodeFacts['experiment'];
  /** Names of experiments of which jobs run. */
  readonly running: () => readonly string[];
  /** Calls when that may have changed. */
  readonly onChange: (listener: () => void) => Cancel;
  /** The topics of this experiment are empty from now on. */
  readonly onCleared: (experiment: string) => void;
  /** The unit has joined this experiment. */
  readonly onJoined: (experiment: string) => void;
}

/**
 * What a unit has shown of an experiment goes when it leaves it: the next experiment of that name is another one. What an
 * earlier run of the unit has published it does not know; the leader clears that when the experiment is deleted.
 */
export function experimentTopics(options: ExperimentTopicsOptions): Service {
  const { unit, mqtt, current, running, onChange, onCleared, onJoined } = options;
  const own = `reactor/${unit}/`;
  let before: JobNodeFacts['experiment'];
  const clear = (isLeft: (experiment: string) => boolean): void => {
    for (const topic of mqtt.retainedBelow(own)) {
      const experiment = topic.slice(own.length).split('/')[0] ?? '';
      if (experiment.startsWith('$') || !isLeft(experiment)) continue;
      mqtt.publish(topic, '', { retain: true, qos: 2 });
      onCleared(experiment);
    }
  };
  const follow = (): void => {
    const now = current();
    const isOther = now?.uid !== before?.uid;
    const isNameUsedAgain = isOther && now?.name === before?.name;
    // Jobs that are still ending tell so; their topics go at the next change.
    const ending = new Set(running());
    clear((experiment) => (experiment === now?.name ? isNameUsedAgain : !ending.has(experiment)));
    before = now;
    if (isOther && now !== undefined) onJoined(now.name);
  };
  let cancel: Cancel = () => {};
  return {
    name: 'topics of experiments',
    start: async () => {
      before = current();
      cancel = onChange(follow);
    },
    stop: async () => cancel(),
  };
}
