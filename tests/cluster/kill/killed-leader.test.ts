import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, leaderApi } from '@lcs/contract';
import { startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seedFrom } from '../seed.ts';
import { isExplained, Writer } from './writer.ts';

/** A shorter run belongs to every test run; `npm run test:kill` does the hundred. */
const kills = Number(process.env.LCS_KILLS ?? 2);
const seed = seedFrom('LCS_SEED', process.env.LCS_KILLS !== undefined);

const points = [
  'write.begun',
  'write.before_commit',
  'write.after_commit',
  'write.answered',
  'file.temp_written',
  'file.renamed',
  'config.file_written',
] as const;

const atPoints = fc.sample(fc.record({ point: fc.constantFrom(...points), hits: fc.integer({ min: 1, max: 25 }) }), {
  seed,
  numRuns: kills,
});
const afterSomeAnswers = fc.sample(fc.record({ afterAnswers: fc.integer({ min: 1, max: 150 }) }), {
  seed,
  numRuns: kills,
});

/** In turn: a kill at a named point of a write, and one after a number of answers. */
const plan = atPoints.flatMap((atPoint, index) => [atPoint, afterSomeAnswers[index] ?? atPoint]).slice(0, kills);

it(
  `keeps every answered write over ${kills} kills of the leader (seed ${seed})`,
  async () => {
    await using folder = await temporaryFolder('kill');
    const first = await startLeaderProcess({ dataFolder: folder.path });
    await first.kill('SIGTERM');
    const writers: Writer[] = [];
    for (const [round, step] of plan.entries()) {
      const label = `kill ${round} of seed ${seed}: ${JSON.stringify(step)}`;
      const atPoint = 'point' in step;
      // A file is saved far less often than a transaction commits.
      const hits = atPoint ? (step.point.startsWith('write.') ? step.hits : Math.ceil(step.hits / 10)) : 0;
      const team = Array.from({ length: 6 }, (_, index) => new Writer(`r${round}w${index}`));
      writers.push(...team);
      await writeUntilKilled(folder.path, team, atPoint ? { point: step.point, hits } : step, label);

      const restarted = await startLeaderProcess({ dataFolder: folder.path });
      await expectAllAnsweredWrites(restarted.url, writers, label);
      await restarted.kill('SIGTERM');
      expectHistoryInvariants(join(folder.path, 'storage/leader.sqlite'), label);
      expectConfigAndHistoryAgree(folder.path, team, label);
    }
  },
  40_000 + kills * 20_000,
);

type Kill = { readonly point: string; readonly hits: number } | { readonly afterAnswers: number };

/** Starts a leader and writes to it until the planned kill, which may come while it is still starting. */
async function writeUntilKilled(dataFolder: string, team: readonly Writer[], kill: Kill, label: string): Promise<void> {
  const atPoint = 'point' in kill;
  const crashAt = atPoint ? { crashAt: `${kill.point}:${kill.hits}` } : {};
  const leader = await startLeaderProcess({ dataFolder, ...crashAt }).catch((error: Error) => {
    if (!(atPoint && error.message.includes('SIGKILL'))) throw error;
    return undefined;
  });
  if (!leader) return;
  const config = readFileSync(join(dataFolder, 'config.ini'), 'utf8').replace(/; saved by .*\n/g, '');
  let answers = 0;
  const afterAnswer = () => {
    answers += 1;
    if (!atPoint && answers === kill.afterAnswers) leader.child.kill('SIGKILL');
  };
  await Promise.all(team.map((writer) => writer.writeUntilGone(leader.url, config, afterAnswer)));
  expect((await leader.ended).signal, label).toBe('SIGKILL');
}

async function expectAllAnsweredWrites(url: string, writers: readonly Writer[], label: string): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  const experiments = await client.listExperiments();
  const found = new Map(experiments.map(({ experiment, description }) => [experiment, description]));
  expect(found.size, `${label}: a name twice`).toBe(experiments.length);
  const known = new Set(writers.flatMap((writer) => [...writer.descriptions.keys()]));
  expect(
    [...found.keys()].filter((name) => !known.has(name)),
    `${label}: an unwritten value`,
  ).toEqual([]);
  const assigned = new Map((await client.listAssignments()).map((row) => [row.reactor_unit, row.experiment]));
  for (const writer of writers) {
    for (const [experiment, tracked] of writer.descriptions) {
      const now = found.get(experiment) ?? null;
      expect(isExplained(tracked, now), `${label}: ${experiment} is ${now}, answered ${tracked.answered}`).toBe(true);
      tracked.answered = now;
      tracked.underWay = undefined;
    }
    const now = assigned.get(writer.unit) ?? null;
    expect(isExplained(writer.assignment, now), `${label}: ${writer.unit} is in ${now}`).toBe(true);
    writer.assignment.answered = now;
    writer.assignment.underWay = undefined;
  }
  for (const writer of writers.slice(-6)) {
    for (const [experiment, tracked] of writer.labels) {
      if (!found.has(experiment)) continue;
      const labels = await client.getUnitLabels({ params: { experiment } });
      expect(isExplained(tracked, labels[writer.unit] ?? null), `${label}: label in ${experiment}`).toBe(true);
    }
  }
}

/** One open period at most per unit, open exactly while assigned, and no two periods of a unit that overlap. */
function expectHistoryInvariants(path: string, label: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    expect(database.prepare('pragma integrity_check').all(), label).toEqual([{ integrity_check: 'ok' }]);
    const openRows = database
      .prepare('select reactor_unit, experiment_id from assignment_history where unassigned_at is null order by 1')
      .all();
    expect(openRows, label).toEqual(
      database.prepare('select reactor_unit, experiment_id from assignments order by 1').all(),
    );
    const overlaps = database
      .prepare(
        `select a.reactor_unit from assignment_history a join assignment_history b
         on a.reactor_unit = b.reactor_unit and a.id < b.id where a.unassigned_at is null or a.unassigned_at > b.assigned_at`,
      )
      .all();
    expect(overlaps, label).toEqual([]);
  } finally {
    database.close();
  }
}

/** A file that nobody has changed takes the ports of each start, without a version. */
const withoutPorts = (text: string | undefined) => text?.replace(/^\w*port=\d+$/gm, '');

function expectConfigAndHistoryAgree(folder: string, team: readonly Writer[], label: string): void {
  const database = new DatabaseSync(join(folder, 'storage/leader.sqlite'), { readOnly: true });
  try {
    const rows = database.prepare('select data from config_histories order by id desc').all();
    const saved = rows.map(({ data }) => String(data));
    const file = readFileSync(join(folder, 'config.ini'), 'utf8');
    if (saved.length > 0)
      expect(withoutPorts(file), `${label}: the file is the newest version of the history`).toBe(
        withoutPorts(saved[0]),
      );
    for (const text of team.flatMap((writer) => writer.saves)) {
      expect(
        saved.filter((one) => one === text),
        `${label}: an answered save`,
      ).toHaveLength(1);
    }
  } finally {
    database.close();
  }
}
