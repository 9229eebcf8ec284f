import { readFileSync } from 'node:fs';
import { code, page, table } from './markdown.ts';

const file = new URL('../../tests/cluster/topics/topics.tsv', import.meta.url);

const retainedText: Readonly<Record<string, string>> = {
  set: 'until the job ends',
  stays: 'until the job starts again',
  yes: 'yes',
  no: 'no',
};

/** The topics that the test of `tests/cluster/topics` compares with those of a cluster that runs every job. */
export function topicsPage(): string {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => {
    const [topic = '', publisher = '', payload = '', qos = '', retained = '', , note = ''] = line.split('\t');
    return { topic, publisher: publisher.replace('?', ''), payload, qos, retained, note };
  });
  const tableOf = (title: string, publishers: readonly string[]): string => {
    const shown = rows.filter(({ publisher }) => publishers.includes(publisher));
    const head = ['topic after `reactor/`', 'payload', 'QoS', 'retained', 'note'];
    const cells = shown.map(({ topic, payload, qos, retained, note }) => [
      code(topic),
      payload,
      qos,
      retainedText[retained] ?? retained,
      note,
    ]);
    return `## ${title}\n\n${table(head, cells)}`;
  };
  const note = [
    '`U` is a unit, `L` the leader, `E` an experiment, `S` the text `$experiment`, `N` the number of a job. Numbered topics stand for',
    'all of their kind: `od2` for `od1` to `od4`. Rules and payloads: [MQTT](../interfaces/mqtt.md).',
  ].join('\n');
  return page('MQTT topics', '`tests/cluster/topics/topics.tsv`, which a test compares with a running cluster', [
    note,
    tableOf('Published by units', ['unit', 'other test']),
    tableOf('Published by the leader', ['leader']),
    tableOf('Received by units', ['outside']),
    tableOf('Not published', ['none']),
  ]);
}
