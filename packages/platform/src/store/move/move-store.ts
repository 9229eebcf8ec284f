import { type Migration, pendingMigrations } from '../migrations.ts';
import { StoreError } from '../store-error.ts';
import type { MoveSource, MoveTarget } from './move-end.ts';
import { MoveRefused } from './move-refused.ts';
import { inOrder, keyOf, type MovedRow, type MovedTable } from './moved-table.ts';
import { isSameRow, TableHash } from './table-hash.ts';

/** Rows of one transaction: of numbers only, and with texts, which can be long. */
const numbersPerPage = 5_000;
const textsPerPage = 500;

export interface MoveProgress {
  readonly step: 'copying' | 'comparing';
  readonly table: string;
  readonly rows: number;
  readonly of: number;
}

/** What was moved: the same on both sides. */
export interface TableReport {
  readonly name: string;
  readonly rows: number;
  /** Of all rows in the order of the primary key, see `TableHash`. */
  readonly sha256: string;
}

export interface StoreMove {
  readonly source: MoveSource;
  readonly target: MoveTarget;
  readonly onProgress: (progress: MoveProgress) => void;
  /** Called at `move.page_done` and `move.copied`. */
  readonly onPoint: (point: string) => void;
}

const pageOf = ({ columns }: MovedTable): number =>
  columns.every(({ type }) => type === 'integer' || type === 'real') ? numbersPerPage : textsPerPage;

/** @throws MoveRefused unless the store has exactly the tables of this program */
export async function checkVersion(source: MoveSource, migrations: readonly Migration[]): Promise<void> {
  const applied = await source.applied();
  if (applied === undefined)
    throw new MoveRefused('The source has no store of this program.', 'Check the address or the path after --from.');
  try {
    if (pendingMigrations(migrations, applied).length === 0) return;
  } catch (error) {
    if (error instanceof StoreError)
      throw new MoveRefused(error.message, 'Move the store with the version of the program that uses it.', {
        cause: error,
      });
    throw error;
  }
  throw new MoveRefused(
    'The source is from an older version of this program.',
    'Start the leader once with this version, stop it, then move its store.',
  );
}

/** The tables with their rows: the target has each of them with the same columns and key. @throws MoveRefused */
async function commonTables(source: MoveSource, target: MoveTarget): Promise<readonly MovedTable[]> {
  const tables = inOrder(await source.tables());
  const others = new Map((await target.tables()).map((table) => [table.name, table]));
  const shapeOf = ({ columns, key }: MovedTable) =>
    JSON.stringify([[...columns].sort((a, b) => (a.name < b.name ? -1 : 1)), key]);
  for (const table of tables) {
    const other = others.get(table.name);
    if (other === undefined || shapeOf(other) !== shapeOf(table))
      throw new MoveRefused(
        `The table ${table.name} is not the same in the target.`,
        'Remove what was begun in the target, then move the store with one version of the program.',
      );
  }
  return tables;
}

/** Copies the rows that the target does not have yet. */
async function copyTable({ source, target, onProgress, onPoint }: StoreMove, table: MovedTable): Promise<void> {
  const of = await source.count(table);
  const limit = pageOf(table);
  const last = await target.lastRow(table);
  let rows = 0;
  if (last !== undefined) {
    await checkContinuation(source, table, last);
    rows = await target.count(table);
  }
  const pageAfter = (row: MovedRow | undefined) =>
    source.page(table, limit, row && { key: keyOf(table, row), isIncluded: false });
  let page = await pageAfter(last);
  while (page.length > 0) {
    onProgress({ step: 'copying', table: table.name, rows, of });
    // One side reads while the other writes.
    const [next] = await Promise.all([pageAfter(page.at(-1)), target.insert(table, page)]);
    onPoint('move.page_done');
    rows += page.length;
    page = next;
  }
  onProgress({ step: 'copying', table: table.name, rows, of });
}

/** What was begun in the target must be of this source. @throws MoveRefused */
async function checkContinuation(source: MoveSource, table: MovedTable, last: MovedRow): Promise<void> {
  const [same] = await source.page(table, 1, { key: keyOf(table, last), isIncluded: true });
  if (same !== undefined && isSameRow(table, same, last)) return;
  throw new MoveRefused(
    `The target has rows in ${table.name} that the source does not have: a move of another store was begun there.`,
    'Remove what was begun in the target, then start the move again.',
  );
}

async function hashOf(
  store: MoveSource,
  table: MovedTable,
  onRows: (rows: number) => void = () => {},
): Promise<TableReport> {
  const hash = new TableHash(table);
  const limit = pageOf(table);
  let last: MovedRow | undefined;
  for (;;) {
    const page = await store.page(table, limit, last && { key: keyOf(table, last), isIncluded: false });
    if (page.length === 0) return { name: table.name, rows: hash.rows, sha256: hash.digest() };
    hash.add(page);
    onRows(hash.rows);
    last = page.at(-1);
  }
}

/** @throws MoveRefused when a table differs */
async function compareTable({ source, target, onProgress }: StoreMove, table: MovedTable): Promise<TableReport> {
  const of = await source.count(table);
  const [wanted, found] = await Promise.all([
    hashOf(source, table),
    hashOf(target, table, (rows) => onProgress({ step: 'comparing', table: table.name, rows, of })),
  ]);
  if (found.rows === wanted.rows && found.sha256 === wanted.sha256) return found;
  throw new MoveRefused(
    `The table ${table.name} is not the same on both sides: ${wanted.rows} rows with the hash ${wanted.sha256} in the source, ${found.rows} rows with the hash ${found.sha256} in the target.`,
    'Remove what was begun in the target, then start the move again. The source is unchanged.',
  );
}

/**
 * Copies all tables in the order of their primary keys and compares both sides. After an interruption the next call continues behind the
 * last row of each table in the target.
 * @throws MoveRefused; StoreError
 */
export async function moveStore(move: StoreMove): Promise<readonly TableReport[]> {
  const { source, target, onPoint } = move;
  const tables = await commonTables(source, target);
  for (const table of tables) await copyTable(move, table);
  await target.setAssignedNumbers(await source.assignedNumbers());
  onPoint('move.copied');
  const reports: TableReport[] = [];
  for (const table of tables) reports.push(await compareTable(move, table));
  return reports;
}
