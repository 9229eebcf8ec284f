import { describe, expect, it } from 'vitest';
import { inBrackets, staircase, twoArms, warmUp, withActions } from '../testing/example-profiles.ts';
import { lateDecision } from './late-steps.ts';
import { numberedItems } from './numbered-items.ts';
import { parseProfile } from './parse-profile.ts';
import {
  actionsByPath,
  currentIteration,
  followingItems,
  type ItemOutcome,
  isBasicItem,
  isItemOf,
  itemKey,
  type ProfileItem,
  profileItems,
  type SettledItem,
  waitingItems,
  withItems,
} from './timeline.ts';
import { unsupportedParts } from './unsupported-parts.ts';

function profileOf(text: string) {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.profile;
}

const [a, b] = ['rx01', 'rx02'];
const itemsOf = (...actions: readonly string[]): readonly ProfileItem[] =>
  profileItems(profileOf(withActions(...actions)), { common: [a], own: [] }).get(a) ?? [];
const line = ({ atMs, job, action }: ProfileItem) => `${atMs / 1000} ${action.type} ${job}`;

describe('the items of a profile', () => {
  const kinds = withActions(
    '{type: log, t: 1m, options: {message: m}}',
    '{type: repeat, t: 1m, every: 1m, actions: []}',
    '{type: when, t: 1m, wait_until: true, actions: []}',
    '{type: update, t: 1m, options: {target_rpm: 1}}',
    '{type: stop, t: 1m}',
    '{type: pause, t: 1m}',
    '{type: resume, t: 1m}',
    '{type: start, t: 1m}',
    '{type: start, t: 30s}',
  );
  const text = `${kinds}reactors:
  rx02: {jobs: {od_reading: {actions: [{type: start, t: 30s}]}}}
  rx09: {jobs: {od_reading: {actions: [{type: start, t: 30s}]}}}
`;

  it('are in order by time, then by kind, then as the file has them, common jobs first', () => {
    const items = profileItems(profileOf(text), { common: [a, b], own: [b] });
    const at60 = ['start', 'stop', 'pause', 'resume', 'update', 'when', 'repeat', 'log'].map((t) => `60 ${t} stirring`);
    expect(items.get(a)?.map(line)).toEqual(['30 start stirring', ...at60]);
    expect(items.get(b)?.map(line)).toEqual(['30 start stirring', '30 start od_reading', ...at60]);
    expect([...items.keys()]).toEqual([a, b]);
  });

  it('have the numbers of earlier versions: over all units, without loops, waits and conditions', () => {
    const numbered = numberedItems(profileOf(text), { common: [a, b], own: [b] });
    expect(numbered.slice(0, 5).map((item) => `${line(item)} ${item.unit}`)).toEqual([
      '30 start stirring rx01',
      '30 start stirring rx02',
      '30 start od_reading rx02',
      '60 start stirring rx01',
      '60 start stirring rx02',
    ]);
    expect(numbered).toHaveLength(15);
  });

  it('are found by their paths, also in loops and waits', () => {
    const found = actionsByPath(profileOf(warmUp));
    expect(found.get('common.jobs.dosing_automation.actions[0].actions[0]')).toMatchObject({
      job: 'dosing_automation',
      action: { type: 'start' },
    });
  });
});

/** Settles every item at its time, a loop or wait as `outcomes` says; returns what was settled, in order. */
function carriedOut(
  items: readonly ProfileItem[],
  outcomeOf: (item: ProfileItem) => ItemOutcome,
  untilMs: number,
): readonly (SettledItem & { readonly line: string })[] {
  const settled: (SettledItem & { readonly line: string })[] = [];
  let waiting = items;
  for (let [item] = waiting; item !== undefined && item.atMs <= untilMs; [item] = waiting) {
    const outcome = outcomeOf(item);
    const { unit, path, iteration, atMs } = item;
    settled.push({ unit, path, iteration, outcome, settledMs: atMs, line: `${line(item)} ${outcome}` });
    waiting = withItems(waiting.slice(1), followingItems(item, outcome, atMs));
  }
  return settled;
}

const usual = (item: ProfileItem): ItemOutcome =>
  isItemOf(item, 'repeat') ? 'entered' : isItemOf(item, 'when') ? 'held' : 'done';

describe('a loop', () => {
  const items = itemsOf(
    `{type: repeat, t: 1h, every: 10m, max_time: 25m, actions: [${[
      '{type: update, t: 0, options: {target_rpm: 1}}',
      '{type: log, t: 10m, options: {message: end}}',
      '{type: stop, t: 11m}',
    ].join(', ')}]}`,
  );

  it('repeats its actions up to its limit, those after its period never; messages of its end come after the next beginning', () => {
    expect(carriedOut(items, usual, 1e9).map((each) => each.line)).toEqual([
      '3600 repeat stirring entered',
      '3600 update stirring done',
      '4200 repeat stirring entered',
      '4200 update stirring done',
      '4200 log stirring done',
      '4800 repeat stirring entered',
      '4800 update stirring done',
      '4800 log stirring done',
      '5400 log stirring done',
    ]);
  });

  it('tries the next iteration when its condition could not be evaluated, and ends when it is false', () => {
    const [item] = items;
    if (item === undefined) throw new Error('There is no loop.');
    expect(followingItems(item, 'failed', 0).map(line)).toEqual(['4200 repeat stirring']);
    for (const outcome of ['ended', 'skipped'] as const) expect(followingItems(item, outcome, 0)).toEqual([]);
  });

  it('continues with the iteration that is under way when earlier ones were missed', () => {
    const [item] = items;
    if (item === undefined || !isItemOf(item, 'repeat')) throw new Error('There is no loop.');
    const at = (minutes: number) => currentIteration(item, 3_600_000 + minutes * 60_000).iteration;
    expect([at(0), at(9.9), at(10), at(19), at(500)]).toEqual([0, 0, 1, 1, 2]);
  });
});

it('counts times in a wait from the moment at which its condition held', () => {
  const items = itemsOf(
    '{type: when, t: 1h, wait_until: x, actions: [{type: start, t: 5s}, {type: when, t: 1m, condition: y, actions: [{type: stop, t: 0}]}]}',
  );
  expect(carriedOut(items, usual, 1e9).map((each) => each.line)).toEqual([
    '3600 when stirring held',
    '3605 start stirring done',
    '3660 when stirring held',
    '3660 stop stirring done',
  ]);
});

it('continues after a restart at any moment with exactly the items that are left', () => {
  const profiles = [
    itemsOf(
      '{type: start, t: 0}',
      '{type: repeat, t: 1m, every: 1m, max_time: 5m, actions: [{type: pause, t: 0}, {type: log, t: 1m, options: {message: m}}, {type: resume, t: 30s}]}',
      '{type: when, t: 90s, wait_until: x, actions: [{type: update, t: 10s, options: {}}, {type: repeat, t: 0, every: 40s, max_time: 3m, actions: [{type: stop, t: 40s}]}]}',
      '{type: stop, t: 1h}',
    ),
    profileItems(profileOf(staircase), { common: [a], own: [] }).get(a) ?? [],
  ];
  for (const items of profiles) {
    const whole = carriedOut(items, usual, 4e8);
    const keys = (list: readonly SettledItem[]) => list.map(itemKey);
    expect(new Set(keys(whole)).size).toBe(whole.length);
    for (const [index] of whole.entries()) {
      const before = whole.slice(0, index);
      const after = carriedOut(waitingItems(items, before), usual, 4e8);
      expect([...keys(before), ...keys(after)].sort()).toEqual(keys(whole).sort());
    }
  }
});

it('makes up for stops, for pauses that still hold and for messages, and for nothing else', () => {
  const hour = 3_600_000;
  const items = itemsOf(
    '{type: start, t: 1h}',
    '{type: update, t: 2h, options: {target_rpm: 1}}',
    '{type: pause, t: 3h}',
    '{type: resume, t: 4h}',
    '{type: stop, t: 5h}',
    '{type: log, t: 6h, options: {message: m}}',
  ).filter(isBasicItem);
  const doneAt = (nowMs: number) =>
    items
      .filter((item) => item.atMs <= nowMs && lateDecision(item, items, nowMs, null) === 'execute')
      .map(({ action }) => action.type);
  expect(doneAt(hour + 60_000)).toEqual(['start']);
  expect(doneAt(hour + 60_001)).toEqual([]);
  expect(doneAt(3.5 * hour)).toEqual(['pause']);
  expect(doneAt(9 * hour)).toEqual(['stop', 'log']);
});

it('supports the whole language, except that led_intensity cannot be resumed', () => {
  for (const text of [warmUp, staircase, twoArms]) expect(unsupportedParts(profileOf(text))).toEqual([]);
  const text = withActions(
    `{type: when, t: 0, wait_until: ${inBrackets('1')}, actions: [{type: resume, t: 0}]}`,
  ).replace('stirring:', 'led_intensity:');
  expect(unsupportedParts(profileOf(text)).map(({ path }) => path)).toEqual([
    'common.jobs.led_intensity.actions[0].actions[0]',
  ]);
});
