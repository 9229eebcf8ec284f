import fc from 'fast-check';

/** The time of a kill: at the n-th pass of a named point, or some time after the process was ready. */
export type PlannedKill =
  | { readonly at: 'point'; readonly point: string; readonly hits: number }
  | { readonly at: 'time'; readonly afterMs: number };

export interface KillCounts {
  readonly leader: number;
  readonly units: number;
  readonly broker: number;
}

export interface KillPlan {
  readonly leader: readonly PlannedKill[];
  /** One list for each unit. */
  readonly units: readonly (readonly PlannedKill[])[];
  readonly broker: readonly PlannedKill[];
}

/** Points, and how often a busy process passes each in a second. */
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
const leaderCycleS = 4.5;
const leaderRunS = 2;

interface Random {
  integer(least: number, most: number): number;
}

function randomFrom(seed: number): Random {
  // More than any plan needs; each call takes the next one.
  const numbers = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { seed, numRuns: 5_000 });
  let taken = 0;
  return {
    integer: (least, most) => {
      const number = numbers[taken % numbers.length] ?? 0;
      taken += 1;
      return least + Math.floor(number * (most - least + 1));
    },
  };
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const result: Item[] = [];
  for (const item of items) result.splice(random.integer(0, result.length), 0, item);
  return result;
}

/** The first kill of each process is by time: it was started for the preparations. Half of all are at crash points. */
function kindsOf(counts: readonly number[], random: Random): PlannedKill['at'][][] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const atPoints = Math.min(Math.ceil(total / 2), total - counts.filter((count) => count > 0).length);
  const byTime = total - atPoints - counts.filter((count) => count > 0).length;
  const kinds = shuffled([...Array(atPoints).fill('point'), ...Array(byTime).fill('time')], random);
  return counts.map((count) => (count === 0 ? [] : ['time', ...kinds.splice(0, count - 1)]));
}

function plannedKill(
  kind: PlannedKill['at'],
  points: Points,
  pointIndex: number,
  runS: number,
  random: Random,
): PlannedKill {
  if (kind === 'time') return { at: 'time', afterMs: random.integer(200, 2_000 * runS) };
  // In turn, so that each point occurs; at the beginning or the end of a run.
  const [point, perSecond] = points[pointIndex % points.length] ?? ['', 1];
  return { at: 'point', point, hits: random.integer(1, Math.max(1, Math.floor(2 * runS * perSecond))) };
}

/** The kills of all processes, from the seed alone. */
export function planKills(seed: number, counts: KillCounts, unitCount: number): KillPlan {
  const random = randomFrom(seed);
  let pointIndex = random.integer(0, 99);
  const kills = (kinds: readonly PlannedKill['at'][], points: Points, runS: number) =>
    kinds.map((kind) => {
      if (kind === 'point') pointIndex += 1;
      return plannedKill(kind, points, pointIndex, runS, random);
    });
  const share = Array.from(
    { length: unitCount },
    (_, index) => Math.floor(counts.units / unitCount) + (index < counts.units % unitCount ? 1 : 0),
  );
  // The plans of all processes take about the same time.
  const totalS = leaderCycleS * Math.max(1, counts.leader);
  const runOf = (count: number) => Math.max(1, totalS / Math.max(1, count) - leaderCycleS);
  return {
    leader: kills(kindsOf([counts.leader], random)[0] ?? [], leaderPoints, leaderRunS),
    units: kindsOf(share, random).map((kinds) => kills(kinds, unitPoints, runOf(share[0] ?? 1))),
    broker: kills(Array(counts.broker).fill('time'), [], runOf(counts.broker)),
  };
}
