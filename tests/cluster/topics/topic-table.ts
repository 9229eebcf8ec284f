import { readFile } from 'node:fs/promises';
import type { RecordedMessage } from '../../../packages/leader/src/testing/recording-broker.ts';
import { isOfKind } from './payloads.ts';

/**
 * A line of topics.tsv. `retained`: `set` is what is retained until an empty payload takes it back at the end of its job;
 * `stays` is taken back when its job begins anew, and then stays; `yes` is never taken back.
 */
export interface Row {
  readonly topic: string;
  /**
   * `unit` and `leader`: published while every job does its work. `outside`: published by other programs for units. `other test`:
   * published in the test of the note. `none`: not published; the note contains the reason.
   */
  readonly publisher: string;
  /** `unit?` in the table: the machine of the test may have no value for it. */
  readonly isOptional: boolean;
  readonly payload: string;
  readonly qos: number;
  readonly retained: string;
  readonly note: string;
}

export async function readRows(): Promise<readonly Row[]> {
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

/** What is wrong with the messages of a row. */
export function faultsOf(row: Row, messages: readonly RecordedMessage[]): readonly string[] {
  const published = messages.filter(({ payload }) => payload !== '');
  const wrong = messages.flatMap(({ payload, qos, isRetained }) => {
    if (qos !== row.qos) return [`QoS ${qos}, not ${row.qos}`];
    if (isRetained !== (row.retained !== 'no')) return [isRetained ? 'retained' : 'not retained'];
    if (payload === '') return ['set', 'stays'].includes(row.retained) ? [] : ['taken back'];
    return isOfKind(row.payload, payload) ? [] : [`no ${row.payload}: ${payload}`];
  });
  const isTakenBack = messages.at(-1)?.payload === '';
  // The monitor goes on.
  const mustEnd = row.retained === 'set' && !/^[UL]\/S\/monitor\//.test(row.topic);
  return [
    ...(published.length === 0 && !row.isOptional ? ['nothing came'] : []),
    ...(mustEnd && !isTakenBack ? ['not taken back at the end of its job'] : []),
    ...(row.retained === 'stays' && isTakenBack ? ['did not stay'] : []),
    ...wrong.slice(0, 1),
  ];
}
