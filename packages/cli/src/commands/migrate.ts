import type { StorePlace } from '@lcs/cluster';
import { type MoveProgress, MoveRefused, realClock, StoreError, type StoreReport } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { type NodeOutput, nodeLog, readCrashPoint } from './run-node.ts';

interface MigrateOptions extends NodeOutput {
  readonly from: string;
  readonly to: string;
}

/** Between two lines of progress of one table. */
const progressMs = 2_000;

const placeName = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('Enter a data folder or postgres://…');
  return text;
};

/** Prints a line when a table is done, and some while it lasts. */
function progressLines(io: ProgramIo, isJson: boolean): (progress: MoveProgress & { readonly store: string }) => void {
  const clock = realClock();
  let printedMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const { step, store, table, rows, of } = progress;
    const nowMs = clock.monotonic();
    if (of === 0 || (rows < of && nowMs - printedMs < progressMs)) return;
    printedMs = nowMs;
    const count = rows < of ? `${rows.toLocaleString('en')} of ${of.toLocaleString('en')}` : rows.toLocaleString('en');
    io.stderr.write(isJson ? `${JSON.stringify(progress)}\n` : `${step} ${store}.${table}: ${count} rows\n`);
  };
}

const refused = (cause: string, remediation: string) =>
  new CommandFailure({ error: 'The store was not moved.', cause, remediation });

async function reporting(run: () => Promise<readonly StoreReport[]>): Promise<readonly StoreReport[]> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MoveRefused) throw refused(error.message, error.remediation);
    if (error instanceof StoreError)
      throw refused(error.message, 'Remove the cause, then start the same command again: it continues.');
    throw error;
  }
}

function printMoved(io: ProgramIo, stores: readonly StoreReport[], to: StorePlace): void {
  const tables = stores.flatMap(({ name, tables }) => tables.map((table) => ({ store: name, ...table })));
  printTable(
    io,
    ['STORE', 'TABLE', 'ROWS', 'SHA-256'],
    tables.filter(({ rows }) => rows > 0).map(({ store, name, rows, sha256 }) => [store, name, String(rows), sha256]),
  );
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const start = to.is === 'postgres' ? 'with --database and this address' : 'without --database';
  io.stdout.write(
    `${rows.toLocaleString('en')} rows in ${tables.length} tables are the same on both sides. Start the leader ${start}.\n`,
  );
}

async function migrate(io: ProgramIo, options: MigrateOptions): Promise<void> {
  const { moveLeaderStore, storePlace } = await import('@lcs/cluster');
  const [from, to] = [storePlace(options.from), storePlace(options.to)];
  const isJson = options.json === true;
  const stores = await reporting(() =>
    moveLeaderStore({
      from,
      to,
      log: nodeLog(io, options),
      crashAt: readCrashPoint(io),
      onProgress: progressLines(io, isJson),
    }),
  );
  if (isJson) printJson(io, { moved: true, stores });
  else printMoved(io, stores, to);
}

/** `lcs migrate`: the store of a leader from one engine to the other. */
export function addMigrateCommand(program: Command, io: ProgramIo): void {
  program
    .command('migrate')
    .description('move the store of a stopped leader from SQLite to PostgreSQL, or back')
    .requiredOption('--from <place>', 'data folder of the leader, or postgres://…', placeName)
    .requiredOption('--to <place>', 'where to: postgres://…, or a data folder', placeName)
    .option('--json', 'print JSON for programs')
    .option('--verbose', 'log more')
    .action((options: MigrateOptions) => migrate(io, options));
}
