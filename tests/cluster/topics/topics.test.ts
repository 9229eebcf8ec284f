import { expect, it } from 'vitest';
import type { RecordedMessage } from '../../../packages/leader/src/testing/recording-broker.ts';
import { messagesOfEveryJob } from './every-job.ts';
import { faultsOf, readRows } from './topic-table.ts';

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

it('publishes on each topic of the table as declared, and on no other topic', async () => {
  const rows = await readRows();
  const seen = byPlace(await messagesOfEveryJob());
  const published = rows.filter(({ publisher }) => publisher === 'unit' || publisher === 'leader');
  const faults = published.flatMap((row) => {
    const key = keyOf(row.publisher, row.topic);
    return faultsOf(row, seen.get(key) ?? []).map((fault) => `${key}: ${fault}`);
  });
  expect(faults).toEqual([]);
  const known = new Set(published.map(({ publisher, topic }) => keyOf(publisher, topic)));
  // A job that ends takes back all of its settings, also those that never had a value.
  const publishedKeys = [...seen].filter(([, messages]) => messages.some(({ payload }) => payload !== ''));
  expect(publishedKeys.map(([key]) => key).filter((key) => !known.has(key))).toEqual([]);
  const absent = rows.filter((row) => !published.includes(row));
  expect(absent.filter(({ note }) => note === '').map(({ topic }) => topic)).toEqual([]);
}, 90_000);
