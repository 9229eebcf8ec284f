import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { EndedImport, taskResult } from '@lcs/contract';
import { startLeader, temporaryFolder } from '@lcs/testkit';
import type { Figure } from './figures.ts';

/** A reading of each table every 5 s, as the other system records them. */
const tables = [
  ['od_readings', 'od_reading real, angle integer, channel integer', '0.1 + i * 1e-7, 90, 2'],
  ['raw_od_readings', 'od_reading real, channel integer', '0.2 + i * 1e-7, 2'],
  ['od_readings_filtered', 'normalized_od_reading real', '1 + i * 1e-7'],
  ['growth_rates', 'rate real', '0.3 + i % 1000 * 1e-5'],
  ['stirring_rates', 'measured_rpm real', '500 + i % 7'],
  ['temperature_readings', 'temperature_c real', '30 + i % 100 * 0.01'],
] as const;
const units = 8;

async function makeSource(path: string, rowsPerTable: number, endMs: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  using database = new DatabaseSync(path);
  const beginS = endMs / 1_000 - (rowsPerTable / units) * 5;
  const moment = `strftime('%Y-%m-%dT%H:%M:%fZ', ${beginS} + (i / ${units}) * 5, 'unixepoch')`;
  database.exec(
    'pragma synchronous = off; create table experiments (experiment text, created_at text, description text)',
  );
  database.exec(`insert into experiments values ('year', strftime('%Y-%m-%dT%H:%M:%fZ', ${beginS}, 'unixepoch'), '')`);
  for (const [table, columns, values] of tables)
    database.exec(`create table ${table} (experiment text, pioreactor_unit text, timestamp text, ${columns});
      insert into ${table} with recursive n (i) as (select 0 union all select i + 1 from n where i < ${rowsPerTable - 1})
        select 'year', 'pio' || (i % ${units}), ${moment}, ${values} from n`);
}

/** Import of a database of another system; `rows` in millions. */
export async function importBench(rows: string): Promise<Figure[]> {
  const rowCount = Number(rows || 3) * 1e6;
  await using folder = await temporaryFolder('import-bench');
  await using leader = await startLeader({ configure: { checkResponses: false } });
  const path = join(folder.path, 'storage', 'pioreactor.sqlite');
  await makeSource(path, Math.floor(rowCount / tables.length), leader.clock.now());
  const sourceBytes = (await stat(path)).size;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const cpuBefore = process.cpuUsage();
  const threadBefore = process.threadCpuUsage();
  const startedMs = performance.now();
  delay.enable();
  const { task_id, ...accepted } = await leader.client.importPioreactor({ body: { folder: folder.path } });
  const task = await leader.finished({ task_id, ...accepted });
  delay.disable();
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const thread = process.threadCpuUsage(threadBefore);
  if (taskResult(task, EndedImport).is_verified !== true) throw new Error('The import is not complete.');
  const storeBytes = (await stat(join(leader.dataFolder, 'storage', 'leader.sqlite'))).size;
  const what = `${rowCount / 1e6} million readings of ${units} units, checksums compared`;
  const perRow = (user + system) / rowCount;
  return [
    { name: 'import: processor time per reading', value: perRow, unit: 'µs', limit: what },
    { name: 'import: readings', value: rowCount / seconds, unit: '/s', limit: what },
    {
      name: 'import: of that on the main thread',
      value: (thread.user + thread.system) / rowCount,
      unit: 'µs',
      limit: `${what}; batches of 1,500`,
    },
    { name: 'import: longest delay of the event loop', value: delay.max / 1e6, unit: 'ms', limit: what },
    {
      name: 'import: memory of the process at its end',
      value: process.memoryUsage.rss() / 1e6,
      unit: 'MB',
      limit: what,
    },
    { name: 'import: size of the store', value: storeBytes / sourceBytes, unit: '× source', limit: what },
  ];
}
