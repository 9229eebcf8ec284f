import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseProfile } from './parse-profile.ts';
import {
  followingItems,
  type ItemOutcome,
  isItemOf,
  itemKey,
  type ProfileItem,
  profileItems,
  type SettledItem,
  waitingItems,
  withItems,
} from './timeline.ts';

/** `LCS_PROFILES=10000` is the long form. */
const runs = Number(process.env.LCS_PROFILES ?? 400);

const kinds = ['start', 'stop', 'pause', 'resume', 'update', 'log'] as const;

/** A profile as the generator and the reference see it: times in whole seconds. */
type Node =
  | { readonly type: (typeof kinds)[number]; readonly t: number }
  | {
      readonly type: 'repeat';
      readonly t: number;
      readonly every: number;
      readonly max: number;
      readonly actions: readonly Node[];
    }
  | { readonly type: 'when'; readonly t: number; readonly actions: readonly Node[] };

const time = fc.integer({ min: 0, max: 90 });
const basic: fc.Arbitrary<Node> = fc.record({
  type: fc.constantFrom(...kinds),
  t: time,
});
const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { arbitrary: basic, weight: 4 },
    {
      arbitrary: fc.record({
        type: fc.constant('repeat' as const),
        t: time,
        every: fc.integer({ min: 1, max: 40 }),
        max: fc.integer({ min: 1, max: 150 }),
        actions: fc.array(basic, { maxLength: 3 }),
      }),
      weight: 2,
    },
    {
      arbitrary: fc.record({
        type: fc.constant('when' as const),
        t: time,
        actions: fc.array(tie('node'), { maxLength: 3 }),
      }),
      weight: 2,
    },
  ),
}));

function yamlOf(each: Node): string {
  const t = `t: ${each.t}s`;
  const nested = () => ('actions' in each ? `[${each.actions.map(yamlOf).join(', ')}]` : '');
  switch (each.type) {
    case 'repeat':
      return `{type: repeat, ${t}, every: ${each.every}s, max_time: ${each.max}s, while: w, actions: ${nested()}}`;
    case 'when':
      return `{type: when, ${t}, wait_until: c, actions: ${nested()}}`;
    case 'log':
      return `{type: log, ${t}, options: {message: m}}`;
    default:
      return `{type: ${each.type}, ${t}}`;
  }
}

/** Conditions by their place and time, the same for both. */
function isTrue(seed: number, what: string): boolean {
  let hash = seed;
  for (const character of what) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash % 7 !== 0;
}
const pollMs = 20_000;
const holdsAt = (seed: number, path: string, ms: number): boolean =>
  !isTrue(seed, `${path}@${ms / pollMs}`) || ms > 3e5;

type Effect = readonly [ms: number, rank: number, path: string, iteration: number];
const rank: Readonly<Record<string, number>> = { start: 0, stop: 1, pause: 2, resume: 3, update: 4, log: 10 };

/** What a profile does, by recursion over its text, without a queue. */
function effectsOf(seed: number, nodes: readonly Node[], path: string, base: number, iteration = 0): readonly Effect[] {
  return nodes.flatMap((each, index): readonly Effect[] => {
    const own = `${path}.actions[${index}]`;
    const at = base + each.t * 1000;
    if (each.type === 'when') {
      let held = at;
      while (!holdsAt(seed, own, held - at)) held += pollMs;
      return effectsOf(seed, each.actions, own, held, iteration);
    }
    if (each.type !== 'repeat') return [[at, rank[each.type] ?? Number.NaN, own, iteration]];
    const effects: Effect[] = [];
    for (let n = 0; n === 0 || n * each.every < each.max; n += 1) {
      if (!isTrue(seed, `${own}#${n}`)) break;
      const inTime = effectsOf(seed, each.actions, own, at + n * each.every * 1000, n);
      effects.push(...inTime.filter(([ms]) => ms - at - n * each.every * 1000 <= each.every * 1000));
    }
    return effects;
  });
}

/** What the queue does, which starts again from what was settled after each item in `restarts`. */
function carriedOut(seed: number, first: readonly ProfileItem[], restarts: ReadonlySet<number>): readonly Effect[] {
  const dueAt = new Map<string, number>();
  const settled: SettledItem[] = [];
  const effects: Effect[] = [];
  let waiting = first;
  let nowMs = 0;
  const settle = (item: ProfileItem, outcome: ItemOutcome) => {
    settled.push({ unit: item.unit, path: item.path, iteration: item.iteration, outcome, settledMs: nowMs });
    waiting = withItems(waiting.slice(1), followingItems(item, outcome, nowMs));
    if (!restarts.has(settled.length)) return;
    // A wait goes on with its next evaluation, at the same times as before.
    const polled = ({ ...item }: ProfileItem): ProfileItem => {
      const atMs =
        item.action.type === 'when'
          ? item.atMs + Math.ceil(Math.max(0, nowMs - item.atMs) / pollMs) * pollMs
          : item.atMs;
      return { ...item, atMs };
    };
    const left = waitingItems(first, settled);
    for (const each of left) if (each.action.type === 'when') dueAt.set(itemKey(each), each.atMs);
    waiting = withItems([], left.map(polled));
  };
  for (let [item] = waiting; item !== undefined; [item] = waiting) {
    nowMs = item.atMs;
    if (isItemOf(item, 'repeat')) {
      settle(item, isTrue(seed, itemKey(item)) ? 'entered' : 'ended');
    } else if (isItemOf(item, 'when')) {
      const due = dueAt.get(itemKey(item)) ?? item.atMs;
      dueAt.set(itemKey(item), due);
      if (holdsAt(seed, item.path, nowMs - due)) settle(item, 'held');
      else waiting = withItems(waiting.slice(1), [{ ...item, atMs: nowMs + pollMs }]);
    } else {
      effects.push([item.atMs, rank[item.action.type] ?? Number.NaN, item.path, item.iteration]);
      settle(item, 'done');
    }
  }
  return effects;
}

const shown = (effects: readonly Effect[]) =>
  effects.map(([ms, , path, iteration]) => `${ms} ${path} ${iteration}`).sort();

it('does what an independent interpreter does, at the same times, each action once, over any restarts', () => {
  const input = fc.record({
    nodes: fc.array(node, { minLength: 1, maxLength: 5 }),
    seed: fc.nat(),
    restarts: fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 6 }),
  });
  fc.assert(
    fc.property(input, ({ nodes, seed, restarts }) => {
      const text = `version: "1.0"\nexperiment_profile_name: p\ncommon: {jobs: {j: {actions: [${nodes.map(yamlOf).join(', ')}]}}}\n`;
      const parsed = parseProfile(text);
      if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
      const first = profileItems(parsed.profile, { common: ['a'], own: [] }).get('a') ?? [];
      const effects = carriedOut(seed, first, new Set(restarts));
      expect(shown(effects)).toEqual(shown(effectsOf(seed, nodes, 'common.jobs.j', 0)));
      const times = effects.map(([ms]) => ms);
      expect(times).toEqual([...times].sort((x, y) => x - y));
    }),
    { numRuns: runs },
  );
});
