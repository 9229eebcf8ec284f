import type { JobNodeFacts } from '@lcs/node';
import type { Cancel, Service } from '@lcs/platform';

export interface ExperimentTopicsOptions {
  readonly unit: string;
  readonly mqtt: {
    publish(topic: string, payload: string, options: { readonly retain: true; readonly qos: 2 }): void;
    /** Topics with a message of this run. */
    retainedBelow(prefix: string): readonly string[];
  };
  /** The experiment that the unit is in. */
  readonly current: () => JobNodeFacts['experiment'];
  /** Names of experiments of which jobs run. */
  readonly running: () => readonly string[];
  /** Called when that may have changed. */
  readonly onChange: (listener: () => void) => Cancel;
  /** Called when the topics of this experiment were cleared. */
  readonly onCleared: (experiment: string) => void;
  /** Called when the unit has joined this experiment. */
  readonly onJoined: (experiment: string) => void;
}

/**
 * Clears a unit's topics of an experiment when it leaves it, because a later experiment may have the same name. Topics of an earlier run
 * of the unit are unknown to it; the leader clears them when the experiment is deleted.
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
    // Jobs that are still ending publish their state; their topics are cleared at the next change.
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
