import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { Fleet } from './fleet.ts';
import { machineIdOf } from './ledger.ts';
import type { Died } from './mortal.ts';
import { drawPlan } from './plan.ts';
import { StoredRecords } from './stored.ts';
import { hear } from './witnessed.ts';

/** A short run belongs to every test run; `npm run test:kill` does the whole one. */
const isWhole = process.env.LCS_KILL_LEADER !== undefined;
const counts = {
  leader: Number(process.env.LCS_KILL_LEADER ?? 2),
  units: Number(process.env.LCS_KILL_UNITS ?? 4),
  broker: Number(process.env.LCS_KILL_BROKER ?? 1),
};
const seed = Number(process.env.LCS_KILL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const unitCount = Number(process.env.LCS_KILL_FLEET ?? (isWhole ? 8 : 2));
/** Readings of so long before a unit's kill may be missing. Beside other tests a commit may have to wait for a processor. */
const lossMs = Number(process.env.LCS_KILL_LOSS_MS ?? (isWhole ? 250 : 5_000));
/** Readings a second of each unit, before the kills begin. */
const leastRate = Number(process.env.LCS_KILL_RATE ?? 20);
/** Small, so that units trim their buffers again and again; large enough for the longest absence of the leader. */
const bufferMebibytes = isWhole ? 0.15 : 0.03;

const say = (line: string) => process.stdout.write(`${line}\n`);

function sayDeaths(deaths: readonly Died[]): void {
  const of = (kind: (died: Died) => boolean) => deaths.filter(kind).length;
  const unit = ({ name }: Died) => name.startsWith('unit');
  say(
    `kills: leader ${of(({ name }) => name === 'leader')}, units ${of(unit)}, broker ${of(({ name }) => name === 'broker')}`,
  );
  const points = Map.groupBy(
    deaths.filter(({ death }) => death.at === 'point'),
    ({ name, death }) => `${name === 'leader' ? 'leader' : 'unit'} ${death.at === 'point' ? death.point : ''}`,
  );
  for (const [point, list] of [...points].sort())
    say(`  at ${point}: ${list.filter(({ reachedPoint }) => reachedPoint).length} of ${list.length}`);
}

it(
  `loses nothing and stores nothing twice: ${unitCount} units; kills: leader ${counts.leader}, units ${counts.units}, broker ${counts.broker} (seed ${seed})`,
  async () => {
    say(`LCS_KILL_SEED=${seed}`);
    await using folder = await temporaryFolder('kills');
    await using fleet = new Fleet({
      folder: folder.path,
      plan: drawPlan(seed, counts, unitCount),
      bufferMebibytes,
      broker: 'process',
      patienceMs: isWhole ? 60_000 : 6_000,
    });
    await fleet.begin();
    const rates = await fleet.rate(isWhole ? 10 : 2);
    say(`readings a second: ${rates.map((rate) => rate.toFixed(1)).join(', ')}`);
    await fleet.dieAsPlanned();
    sayDeaths(fleet.deaths);
    await fleet.allMeasure();
    const heads = await fleet.catchUp();
    await fleet.end('SIGTERM');

    using stored = new StoredRecords(fleet.folderOf('leader'));
    let isTrimmed = true;
    for (const ledger of fleet.ledgers) {
      // What was written at the end counts as committed, though the leader need not have it.
      ledger.read();
      const { unit } = ledger;
      const machineId = machineIdOf(fleet.folderOf(unit));
      const { lost, invented, doubled, thinned, ...figures } = stored.compare(ledger, machineId, heads.get(unit) ?? 0);
      const deaths = fleet.deaths.filter(({ name }) => name === unit);
      const heard = hear(ledger, fleet.witnessOf(unit), deaths, lossMs);
      isTrimmed &&= ledger.kept().first > 1;
      say(`${unit}: ${JSON.stringify({ ...figures, thinned, lossMs: heard.worstLossMs, safeMs: heard.worstSafeMs })}`);
      const told = `${unit}, seed ${seed}`;
      expect(lost, `${told}: committed, not stored`).toEqual([]);
      expect(invented, `${told}: stored, not committed`).toEqual([]);
      expect(doubled, `${told}: stored twice`).toEqual([]);
      expect(heard.unwitnessed, `${told}: not measured by its board`).toEqual([]);
      expect(heard.missing, `${told}: measured, not committed`).toEqual([]);
      expect(heard.unsafe, `${told}: outputs on`).toEqual([]);
      expect(heard.readings, told).toBeGreaterThan(isWhole ? 20 : 5);
      if (isWhole)
        expect({ thinned, unseen: figures.unseen }, `${told}: thinned out`).toEqual({ thinned: 0, unseen: 0 });
    }
    expect(stored.wrongBuckets(), `seed ${seed}`).toEqual([]);
    expect(stored.rows('select * from feed_holes')).toEqual([]);
    expect(stored.rows("select * from gaps where reason not in ('thinned')")).toEqual([]);
    expect(stored.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    if (isWhole) {
      expect(isTrimmed).toBe(true);
      for (const rate of rates) expect(rate).toBeGreaterThanOrEqual(leastRate);
    }
  },
  isWhole ? 3_600_000 : 120_000,
);
