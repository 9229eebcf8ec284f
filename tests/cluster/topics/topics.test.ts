import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { RecordedMessage } from '../../../packages/leader/src/broker/recording-broker.ts';
import { messagesOfEveryJob } from './every-job.ts';
import { isOfKind } from './payloads.ts';

/**
 * A line of topics.tsv. `retained`: `set` is what is retained until an empty payload takes it back at the end of its job;
 * `stays` is taken back when its job begins anew, and then stays; `yes` is never taken back.
 */
interface Row {
  readonly topic: string;
  /** `none`: not published in this test; the note says why. */
  readonly publisher: string;
  /** `unit?` in the table: the machine of the test may have nothing to tell there. */
  readonly isOptional: boolean;
  readonly payload: string;
  readonly qos: number;
  readonly retained: string;
  readonly note: string;
}

async function readRows(): Promise<readonly Row[]> {
  const lines = (await readFile(new URL('topics.tsv', import.meta.url), 'utf8')).trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const [topic = '', publisher = '', payload = '', qos = '', retained = '', , note = ''] = line.split('\t');
    return {
      topic,
      publisher: publisher.replace('?', ''),
      isOptional: publisher.endsWith('?'),
      payload,
      qos: Number(qos),
      retained,
      note,
    };
  });
}

/** The topic as the table writes it: U, L, E, S and N for unit, leader, experiment, `$experiment` and number of the job. */
const placeOf = (topic: string): string =>
  topic
    .replace(/^reactor\/unit1\//, 'U/')
    .replace(/^reactor\/lead\//, 'L/')
    .replace(/^([UL])\/ramp\//, '$1/E/')
    .replace(/^U\/_testing_ramp\//, 'U/_testing_E/')
    .replace(/^([UL])\/\$experiment\//, '$1/S/')
    .replace(/\/\d+\//, '/N/');

const publishers: Readonly<Record<string, string>> = { 'reactor-unit1': 'unit', 'reactor-lead-leader': 'leader' };
const keyOf = (publisher: string, place: string): string => `${publisher} ${place}`;

function byPlace(messages: readonly RecordedMessage[]): ReadonlyMap<string, readonly RecordedMessage[]> {
  const found = new Map<string, RecordedMessage[]>();
  for (const message of messages) {
    const key = keyOf(publishers[message.publisher] ?? message.publisher, placeOf(message.topic));
    found.set(key, [...(found.get(key) ?? []), message]);
  }
  return found;
}

/** What is wrong with the messages of a row. */
function faultsOf(row: Row, messages: readonly RecordedMessage[]): readonly string[] {
  const told = messages.filter(({ payload }) => payload !== '');
  const wrong = messages.flatMap(({ payload, qos, isRetained }) => {
    if (qos !== row.qos) return [`QoS ${qos}, not ${row.qos}`];
    if (isRetained !== (row.retained !== 'no')) return [isRetained ? 'retained' : 'not retained'];
    if (payload === '') return ['set', 'stays'].includes(row.retained) ? [] : ['taken back'];
    return isOfKind(row.payload, payload) ? [] : [`no ${row.payload}: ${payload}`];
  });
  const isTakenBack = messages.at(-1)?.payload === '';
  // The monitor goes on.
  const mustEnd = row.retained === 'set' && !row.topic.startsWith('U/S/monitor/');
  return [
    ...(told.length === 0 && !row.isOptional ? ['nothing came'] : []),
    ...(mustEnd && !isTakenBack ? ['not taken back at the end of its job'] : []),
    ...(row.retained === 'stays' && isTakenBack ? ['did not stay'] : []),
    ...wrong.slice(0, 1),
  ];
}

it('is on each topic of the table what the table says, from whom it says, and on no other', async () => {
  const rows = await readRows();
  const seen = byPlace(await messagesOfEveryJob());
  const published = rows.filter(({ publisher }) => publisher !== 'none');
  const faults = published.flatMap((row) => {
    const key = keyOf(row.publisher, row.topic);
    return faultsOf(row, seen.get(key) ?? []).map((fault) => `${key}: ${fault}`);
  });
  expect(faults).toEqual([]);
  const known = new Set(published.map(({ publisher, topic }) => keyOf(publisher, topic)));
  // A job that ends takes back all of its settings, also those that never had a value.
  const told = [...seen].filter(([, messages]) => messages.some(({ payload }) => payload !== ''));
  expect(told.map(([key]) => key).filter((key) => !known.has(key))).toEqual([]);
  const absent = rows.filter(({ publisher }) => publisher === 'none');
  expect(absent.filter(({ note }) => note === '').map(({ topic }) => topic)).toEqual([]);
}, 90_000);
