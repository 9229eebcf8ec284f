import { actingAccount, byItself, toTimestamp } from '@lcs/platform';
import type { ChangeRunner, Effects, LeaderDatabase, LivePublisher, MqttPublisher } from './leader-context.ts';
import { systemExperiment } from './leader-context.ts';

export interface ChangeRunnerOptions {
  readonly leader: string;
  readonly database: LeaderDatabase;
  readonly live: LivePublisher;
  readonly mqtt: MqttPublisher;
  readonly now: () => number;
}

/**
 * Every change of the leader's store goes through this function, so that each stored change is published, and no other.
 */
export function createChangeRunner({ leader, database, live, mqtt, now }: ChangeRunnerOptions): ChangeRunner {
  /** What listeners do about it (the evaluation of alarms), they do by themselves. */
  const publish: LivePublisher['publish'] = (name, key, data) => byItself(() => live.publish(name, key, data));
  return async (work) => {
    const account = actingAccount();
    const request = account === null ? '' : ` Requested by ${account}.`;
    const pending: (() => void)[] = [];
    const result = await database.write(async (transaction) => {
      const effects: Effects = {
        live: (name, key, data) => {
          pending.push(() => publish(name, key, data));
        },
        mqtt: (topic, payload, options) => {
          pending.push(() => mqtt.publish(topic, payload, options));
        },
        afterCommit: (action) => {
          pending.push(action);
        },
        logEvent: async ({ experiment, level, message: event, task, unit = leader, at: moment = now() }) => {
          // The time of a unit may contain fractions of a millisecond.
          const at = Math.floor(moment);
          const name = experiment?.name ?? systemExperiment;
          const message = event + request;
          await transaction
            .insertInto('logs')
            .values({
              experiment_id: experiment?.id ?? null,
              experiment: name,
              reactor_unit: unit,
              at,
              level,
              message,
              source: 'ui',
              task,
            })
            .execute();
          const entry = { message, task, source: 'ui', level, timestamp: toTimestamp(at) };
          pending.push(() => {
            publish('log', `${name}/${task}`, { ...entry, reactor_unit: unit, experiment: name });
            mqtt.publish(`reactor/${unit}/${name}/logs/ui/${level.toLowerCase()}`, JSON.stringify(entry));
          });
        },
      };
      return work(transaction, effects);
    });
    for (const effect of pending) effect();
    return result;
  };
}
