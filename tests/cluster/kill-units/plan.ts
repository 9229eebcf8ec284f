import fc from 'fast-check';

/** How a process ends: at the n-th passage of a named point, or some time after it was ready. */
export type Death =
  | { readonly at: 'point'; readonly point: string; readonly hits: number }
  | { readonly at: 'time'; readonly afterMs: number };

export interface KillCounts {
  readonly leader: number;
  readonly units: number;
  readonly broker: number;
}

export interface KillPlan {
  readonly leader: readonly Death[];
  /** One list for each unit. */
  readonly units: readonly (readonly Death[])[];
  readonly broker: readonly Death[];
}

/** Points, and how often each is passed in a second by a busy process. */
type Points = readonly (readonly [point: string, perSecond: number])[];

const leaderPoints: Points = [
  ['feed.batch_committed', 15],
  ['bulk.begun', 15],
  ['bulk.before_commit', 15],
  ['bulk.after_commit', 15],
];
const unitPoints: Points = [
  ['outbox.before_commit', 5],
  ['outbox.after_commit', 5],
  ['outbox.trimming', 0.2],
  ['feed.acked', 0.1],
];

/** Approximate start time and run time of a leader, in seconds. */
const leaderTurnS = 4.5;
const leaderLifeS = 2;

interface Draw {
  whole(least: number, most: number): number;
}

function drawFrom(seed: number): Draw {
  // Far more than are needed; each draw takes the next one.
  const numbers = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { seed, numRuns: 5_000 });
  let drawn = 0;
  return {
    whole: (least, most) => {
      const number = numbers[drawn % numbers.length] ?? 0;
      drawn += 1;
      return least + Math.floor(number * (most - least + 1));
    },
  };
}

function shuffled<Item>(items: readonly Item[], draw: Draw): Item[] {
  const result: Item[] = [];
  for (const item of items) result.splice(draw.whole(0, result.length), 0, item);
  return result;
}

/** The first kill of each process is by time: it was started for the preparations. Half of all are at crash points. */
function kindsOf(counts: readonly number[], draw: Draw): Death['at'][][] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const atPoints = Math.min(Math.ceil(total / 2), total - counts.filter((count) => count > 0).length);
  const byTime = total - atPoints - counts.filter((count) => count > 0).length;
  const deck = shuffled([...Array(atPoints).fill('point'), ...Array(byTime).fill('time')], draw);
  return counts.map((count) => (count === 0 ? [] : ['time', ...deck.splice(0, count - 1)]));
}

function deathOf(kind: Death['at'], points: Points, turn: number, lifeS: number, draw: Draw): Death {
  if (kind === 'time') return { at: 'time', afterMs: draw.whole(200, 2_000 * lifeS) };
  // In turn, so that each is met; at the beginning or the end of a life.
  const [point, perSecond] = points[turn % points.length] ?? ['', 1];
  return { at: 'point', point, hits: draw.whole(1, Math.max(1, Math.floor(2 * lifeS * perSecond))) };
}

/** The kills of all processes, from the seed alone. */
export function drawPlan(seed: number, counts: KillCounts, unitCount: number): KillPlan {
  const draw = drawFrom(seed);
  let turn = draw.whole(0, 99);
  const deaths = (kinds: readonly Death['at'][], points: Points, lifeS: number) =>
    kinds.map((kind) => {
      if (kind === 'point') turn += 1;
      return deathOf(kind, points, turn, lifeS, draw);
    });
  const share = Array.from(
    { length: unitCount },
    (_, index) => Math.floor(counts.units / unitCount) + (index < counts.units % unitCount ? 1 : 0),
  );
  // All are done at about the same time.
  const wholeS = leaderTurnS * Math.max(1, counts.leader);
  const lifeOf = (count: number) => Math.max(1, wholeS / Math.max(1, count) - leaderTurnS);
  return {
    leader: deaths(kindsOf([counts.leader], draw)[0] ?? [], leaderPoints, leaderLifeS),
    units: kindsOf(share, draw).map((kinds) => deaths(kinds, unitPoints, lifeOf(share[0] ?? 1))),
    broker: deaths(Array(counts.broker).fill('time'), [], lifeOf(counts.broker)),
  };
}
