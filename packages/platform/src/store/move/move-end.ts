import type { AppliedMigration } from '../migrations.ts';
import type { MovedRow, MovedTable } from './moved-table.ts';

/** Where a page of a table begins: at the row with this key, or behind it. */
export interface PageStart {
  readonly key: MovedRow;
  readonly isIncluded: boolean;
}

/** A store that is read from its first to its last row; nothing else changes it meanwhile. */
export interface MoveSource {
  tables(): Promise<readonly MovedTable[]>;
  /** Undefined: it is not a store of this program. */
  applied(): Promise<readonly AppliedMigration[] | undefined>;
  count(table: MovedTable): Promise<number>;
  /** The next rows in the order of the primary key; without `from` the first ones. */
  page(table: MovedTable, limit: number, from?: PageStart): Promise<readonly MovedRow[]>;
  /** The highest number that each table has ever assigned: rows with it may have been deleted. */
  assignedNumbers(): Promise<ReadonlyMap<string, number>>;
  close(): void;
}

/** A store that receives the rows of another. */
export interface MoveTarget extends MoveSource {
  lastRow(table: MovedTable): Promise<MovedRow | undefined>;
  /** In one transaction. */
  insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  /** New rows have numbers behind these, and behind those of their table. */
  setAssignedNumbers(numbers: ReadonlyMap<string, number>): Promise<void>;
}
