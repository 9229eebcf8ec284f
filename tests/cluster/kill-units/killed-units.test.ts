import { temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { seedFrom } from '../seed.ts';
import { Fleet } from './fleet.ts';
import type { CompletedKill } from './killed-process.ts';
import { machineIdOf } from './ledger.ts';
import { planKills } from './plan.ts';
import { StoredRecords } from './stored.ts';
import { compareWithWitness } from './witness-comparison.ts';

/** A short run belongs to every test run; `npm run test:kill` does the whole one. */
const isLongRun = process.env.LCS_KILL_LEADER !== undefined;
const counts = {
  leader: Number(process.env.LCS_KILL_LEADER ?? 1),
  units: Number(process.env.LCS_KILL_UNITS ?? 2),
  broker: Number(process.env.LCS_KILL_BROKER ?? 1),
};
const seed = seedFrom('LCS_KILL_SEED', isLongRun);
const unitCount = Number(process.env.LCS_KILL_FLEET ?? (isLongRun ? 8 : 2));
/** Readings of so long before a unit's kill may be missing. Beside other tests a commit may have to wait for a processor. */
const lossMs = Number(process.env.LCS_KILL_LOSS_MS ?? (isLongRun ? 250 : 5_000));
/** Readings a second of each unit, before the kills begin. */
const leastRate = Number(process.env.LCS_KILL_RATE ?? 20);
/** Small, so that units trim their buffers again and again; large enough for the longest absence of the leader, on a busy machine too. */
const bufferMebibytes = isLongRun ? 0.15 : 0.06;

const print = (line: string) => process.stdout.write(`${line}\n`);

function printKills(kills: readonly CompletedKill[]): void {
  const of = (kind: (kill: CompletedKill) => boolean) => kills.filter(kind).length;
  const unit = ({ name }: CompletedKill) => name.startsWith('unit');
  print(
    `kills: leader ${of(({ name }) => name === 'leader')}, units ${of(unit)}, broker ${of(({ name }) => name === 'broker')}`,
  );
  const points = Map.groupBy(
    kills.filter(({ kill }) => kill.at === 'point'),
    ({ name, kill }) => `${name === 'leader' ? 'leader' : 'unit'} ${kill.at === 'point' ? kill.point : ''}`,
  );
  for (const [point, list] of [...points].sort())
    print(`  at ${point}: ${list.filter(({ reachedPoint }) => reachedPoint).length} of ${list.length}`);
}

it(
  `loses nothing and stores nothing twice: ${unitCount} units; kills: leader ${counts.leader}, units ${counts.units}, broker ${counts.broker} (seed ${seed})`,
  async () => {
    print(`LCS_KILL_SEED=${seed}`);
    await using folder = await temporaryFolder('kills');
    await using fleet = new Fleet({
      folder: folder.path,
      plan: planKills(seed, counts, unitCount),
      bufferMebibytes,
      broker: 'process',
      pointTimeoutMs: isLongRun ? 60_000 : 6_000,
    });
    await fleet.begin();
    const rates = await fleet.rate(isLongRun ? 10 : 2);
    print(`readings a second: ${rates.map((rate) => rate.toFixed(1)).join(', ')}`);
    await fleet.runKillPlan();
    printKills(fleet.kills);
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
      const kills = fleet.kills.filter(({ name }) => name === unit);
      const compared = compareWithWitness(ledger, fleet.witnessOf(unit), kills, lossMs);
      isTrimmed &&= ledger.kept().first > 1;
      print(
        `${unit}: ${JSON.stringify({ ...figures, thinned, lossMs: compared.worstLossMs, safeMs: compared.worstSafeMs })}`,
      );
      const label = `${unit}, seed ${seed}`;
      expect(lost, `${label}: committed, not stored`).toEqual([]);
      expect(invented, `${label}: stored, not committed`).toEqual([]);
      expect(doubled, `${label}: stored twice`).toEqual([]);
      expect(compared.unwitnessed, `${label}: not measured by its board`).toEqual([]);
      expect(compared.missing, `${label}: measured, not committed`).toEqual([]);
      expect(compared.unsafe, `${label}: outputs on`).toEqual([]);
      expect(compared.readings, label).toBeGreaterThan(isLongRun ? 20 : 0);
      if (isLongRun)
        expect({ thinned, unseen: figures.unseen }, `${label}: thinned out`).toEqual({ thinned: 0, unseen: 0 });
    }
    expect(stored.wrongBuckets(), `seed ${seed}`).toEqual([]);
    expect(stored.rows('select * from feed_holes')).toEqual([]);
    expect(stored.rows("select * from gaps where reason not in ('thinned')")).toEqual([]);
    expect(stored.rows('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    if (isLongRun) {
      expect(isTrimmed).toBe(true);
      for (const rate of rates) expect(rate).toBeGreaterThanOrEqual(leastRate);
    }
  },
  isLongRun ? 3_600_000 : 120_000,
);
