import type { SQLInputValue } from 'node:sqlite';
import type { SqlStatement } from '@lcs/platform/sql-reader';
import type { Dataset } from '../dataset.ts';
import { type ClassicConnection, relationText } from './classic-connection.ts';
import { utcText } from './minute-text.ts';
import type { Cell, DataRow, RowSelection, RowSource, SourceColumn } from './row-source.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function conditionOf({ descriptor }: Dataset, { experiments, fromMs, toMs }: RowSelection): Condition {
  const parts: Condition[] = [];
  if (descriptor.has_experiment && experiments !== undefined) {
    parts.push({ sql: `T.experiment in (${experiments.map(() => '?').join(', ')})`, values: experiments });
  }
  const { default_order_by: time, timestamp_columns: timestamps } = descriptor;
  if (timestamps.length > 0 && time !== '') {
    // Times are texts of one form, so that they sort like the times.
    if (fromMs !== undefined) parts.push({ sql: `T.${quoted(time)} >= ?`, values: [utcText().of(fromMs)] });
    if (toMs !== undefined) parts.push({ sql: `T.${quoted(time)} <= ?`, values: [utcText().of(toMs)] });
  }
  if (parts.length === 0) return { sql: '', values: [] };
  return { sql: `where ${parts.map(({ sql }) => sql).join(' and ')}`, values: parts.flatMap(({ values }) => values) };
}

function orderOf({ descriptor }: Dataset, { byExperiment, byUnit, order }: RowSelection): string {
  if (order === 'any') return '';
  const terms = [
    ...(byExperiment && descriptor.has_experiment ? ['T.experiment'] : []),
    ...(byUnit && descriptor.has_unit ? ['T.reactor_unit'] : []),
    ...(descriptor.default_order_by === ''
      ? []
      : [`T.${quoted(descriptor.default_order_by)} ${order === 'descending' ? 'desc nulls last' : 'asc nulls first'}`]),
  ];
  return terms.length === 0 ? '' : `order by ${terms.join(', ')}`;
}

function cellOf(value: unknown): Cell {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  return null;
}

/** Prepares a statement about the rows of a dataset; of one that a person wrote within what it may read. */
const prepared = (
  connection: ClassicConnection,
  { descriptor, isForeign }: Dataset,
  sql: (relation: string) => string,
): SqlStatement =>
  isForeign ? connection.prepareForeign(descriptor, sql) : connection.database.prepare(sql(relationText(descriptor)));

/** Built-in views that have one row for each event of a kind, with the value of `kind` in its data where one name has several. */
const eventsOfView: ReadonlyMap<string, { readonly name: string; readonly kind?: string }> = new Map([
  ['dosing_events', { name: 'dosing' }],
  ['led_change_events', { name: 'led_change' }],
  ['dosing_automation_events', { name: 'automation', kind: 'dosing' }],
  ['led_automation_events', { name: 'automation', kind: 'led' }],
  ['temperature_automation_events', { name: 'automation', kind: 'temperature' }],
]);

const noBounds = { fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };

/**
 * The number of rows of a built-in dataset of events or log entries in experiments, by an index with their times: comparing the texts of a
 * view makes a text of every time. Undefined for other datasets.
 */
export function countEvents(
  { database }: ClassicConnection,
  { descriptor, isForeign }: Dataset,
  { experiments, fromMs = noBounds.fromMs, toMs = noBounds.toMs }: RowSelection,
): number | undefined {
  // Entries of the cluster have no experiment.
  if (isForeign || experiments === undefined || experiments.some((name) => name.startsWith('$'))) return undefined;
  const named = `e.name in (${experiments.map(() => '?').join(', ')}) and e.deleting_at is null`;
  if (descriptor.table === 'logs') {
    const sql = `select count(*) as n from main.logs l indexed by logs_by_experiment
      where l.experiment_id in (select e.id from main.experiments e where ${named}) and l.at between ? and ?`;
    return Number(database.prepare(sql).get(...experiments, fromMs, toMs)?.n ?? 0);
  }
  const events = eventsOfView.get(descriptor.table ?? '');
  if (events === undefined) return undefined;
  const { name, kind = null } = events;
  const sql = `select count(*) as n from main.events v indexed by events_by_experiment
    where v.experiment_uid in (select e.uid from main.experiments e where ${named}) and v.name = ?
      and v.at between ? and ? and (? is null or json_extract(v.data, '$.kind') = ?)`;
  return Number(database.prepare(sql).get(...experiments, name, fromMs, toMs, kind, kind)?.n ?? 0);
}

/** The number of rows of a table or query. */
export function countSqlRows(connection: ClassicConnection, dataset: Dataset, selection: RowSelection): number {
  const condition = conditionOf(dataset, selection);
  const sql = (relation: string) => `select count(*) as n from ${relation} T ${condition.sql}`;
  return Number(prepared(connection, dataset, sql).get(...condition.values)?.n ?? 0);
}

/** Rows of a table or query as the database orders them. */
export function sqlRows(connection: ClassicConnection, dataset: Dataset, selection: RowSelection): RowSource {
  const columnList = dataset.columns?.map(({ name }) => `T.${quoted(name)}`).join(', ') ?? 'T.*';
  const condition = conditionOf(dataset, selection);
  const order = orderOf(dataset, selection);
  const sql = (relation: string) => `select ${columnList} from ${relation} T ${condition.sql} ${order}`;
  const statement = prepared(connection, dataset, sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const columns: readonly SourceColumn[] =
    dataset.columns ?? statement.columns().map(({ name }) => ({ name, kind: 'any' }));
  return {
    columns,
    expected: undefined,
    *rows(): Generator<DataRow, void, undefined> {
      const rows: Iterable<unknown> = statement.iterate(...condition.values);
      for (const row of rows) {
        if (!Array.isArray(row)) throw new TypeError('A row is no list of columns.');
        yield row.map(cellOf);
      }
    },
  };
}
