import { PostgresDatabase, realClock, SqliteDatabase, silentLog } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { Archive } from '../archive/archive.ts';
import { monthNamed } from '../archive/month.ts';
import { leaderMigrations } from '../store/migrations.ts';
import type { LeaderTables } from '../store/tables.ts';
import { archiveHere } from './archive-here.ts';

/** The argument of the process, as JSON. */
export interface ArchivePlan {
  readonly store: StorePlace;
  readonly work: 'seal' | 'unseal' | 'delete';
  readonly month: string;
  readonly place: string;
  readonly workFolder: string;
  readonly experimentUid: string;
  /** The point at which the process ends, and at which hit. */
  readonly point: string;
  readonly hit: number;
}

/** Small, so that few readings make several groups. */
export const rowsPerGroup = 1_024;

/** The process that a test kills while it seals a month, unseals it or deletes an experiment. */
async function main({ store, work, month: name, place, workFolder, experimentUid, point, hit }: ArchivePlan) {
  const tools = { migrations: leaderMigrations, clock: realClock(), log: silentLog() };
  const database =
    'url' in store
      ? new PostgresDatabase<LeaderTables>({ ...tools, ...store })
      : new SqliteDatabase<LeaderTables>({ ...tools, ...store });
  await database.start(new AbortController().signal);
  let hits = 0;
  const archive = new Archive({
    database,
    store,
    version: 'test',
    leaderId: 'l1',
    workFolder,
    now: () => 0,
    wire: realClock(),
    graceMs: 0,
    rowsPerGroup,
    work: archiveHere,
    probe: (reached) => {
      if (reached !== point) return;
      hits += 1;
      if (hits === hit) process.kill(process.pid, 'SIGKILL');
    },
  });
  const month = monthNamed(name);
  if (month === undefined) throw new Error(`There is no month ${name}.`);
  const { signal } = new AbortController();
  if (work === 'seal') await archive.seal(month, place, signal, () => {});
  else if (work === 'unseal') await archive.unseal(month, signal, () => {});
  else await archive.removeExperiment(experimentUid);
  await database.stop();
}

const [, , plan] = process.argv;
if (plan !== undefined) await main(JSON.parse(plan));
