import { callerOf, mayPublish, mayReceive, tableFilters, tableIdentities, tableTopics } from '@lcs/domain';
import { code, page, table } from './markdown.ts';

const cellOf = (publishes: boolean, receives: boolean): string =>
  publishes && receives ? 'P R' : publishes ? 'P' : receives ? 'R' : '';

/** The table of topics and identities that a test compares with the embedded broker and with Mosquitto. */
export function accessTablePage(): string {
  const callers = tableIdentities.map(({ rights }) => callerOf(rights));
  const names = tableIdentities.map(({ name }) => name);
  const topics = tableTopics.map(({ topic, payload }) => [
    code(topic),
    payload,
    ...callers.map((caller) => cellOf(mayPublish(caller, topic, payload), mayReceive(caller, topic))),
  ]);
  const filters = tableFilters.map((filter) => [
    code(filter),
    ...callers.map((caller) => (mayReceive(caller, filter) ? 'R' : '')),
  ]);
  return page('MQTT topics and identities', 'the rules by topic, which a test compares with both brokers', [
    [
      'P: may publish, R: may receive. `rx01` and `rx02` are units, `lead` is the leader, `E` and `F` are experiments. Mosquitto reads no',
      'payloads: there `disconnected` needs `jobs.run`, except for runs of profiles. Rules: [MQTT](../interfaces/mqtt.md#accounts).',
    ].join('\n'),
    `## Topics\n\n${table(['topic', 'payload', ...names], topics)}`,
    `## Filters with wildcards\n\n${table(['filter', ...names], filters)}`,
  ]);
}
