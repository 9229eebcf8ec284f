import type { Interruption } from '@lcs/contract';
import { elapsedText } from '../time/elapsed.ts';

/** Why records are missing, as the end of a sentence. */
const lostBecause: Readonly<Record<string, string>> = {
  thinned: 'the unit thinned them because its buffer was full',
  disk_full: 'the unit refused them because its disk was full',
  damaged: 'its storage was damaged',
  forgotten: 'the unit deleted them before the leader requested them',
  series_limit: 'they exceed the maximum number of series of a unit',
  unexplained: 'the reason is unknown',
};

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

function afterwards({ jobs }: Facts): string {
  if (jobs === null) return '';
  const { resumed, held, off } = jobs;
  const several = (names: readonly string[], one: string, many: string): string[] =>
    names.length === 0 ? [] : [`${listed(names)} ${names.length === 1 ? one : many}`];
  const parts = [
    ...several(resumed, 'went on', 'went on'),
    ...several(held, 'waits for a person', 'wait for a person'),
    ...several(off, 'stays off', 'stay off'),
  ];
  return parts.length === 0 ? '' : ` Afterwards ${parts.join('; ')}.`;
}

function span({ from, to, clock_unset }: Facts): string {
  if (from === null) return '';
  const spanMs = Date.parse(to) - Date.parse(from);
  if (spanMs < 0) return ', for an unknown time: its clock was wrong';
  const text = elapsedText(spanMs);
  return clock_unset ? ` (for ${text} by a clock that was not set)` : ` for ${text}`;
}

function lost({ reactor_unit, records, reason, dropped }: Facts): string {
  const kinds = Object.entries(dropped ?? {}).map(([kind, count]) => `${count} of ${kind}`);
  const what = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  const are = records === 1 ? '1 record is' : `${records ?? 'Some'} records are`;
  return `${are} missing of ${reactor_unit}${what}: ${lostBecause[reason ?? ''] ?? reason ?? 'the reason is unknown'}.`;
}

type Facts = Omit<Interruption, 'message'>;

/** An interruption as one sentence, without its times. */
export function interruptionSentence(facts: Facts): string {
  switch (facts.kind) {
    case 'unit_off':
      return `${facts.reactor_unit} was off${span(facts)}. It had not been stopped: its power failed, or its program crashed.${afterwards(facts)}`;
    case 'unit_stopped':
      return `${facts.reactor_unit} was off${span(facts)}. It had been stopped.${afterwards(facts)}`;
    case 'records_lost':
      return lost(facts);
  }
}
