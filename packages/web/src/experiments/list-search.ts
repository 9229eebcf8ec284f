import { designText } from './experiment-design.ts';
import { type ExperimentRow, type ExperimentState, experimentStates, stateOf } from './experiment-rows.ts';

export const sortColumns = ['name', 'status', 'organism', 'tags', 'workers', 'created', 'ended'] as const;
export type SortColumn = (typeof sortColumns)[number];
export type SortOrder = 'asc' | 'desc';

/** The search part of the address of the list; a missing part has its default, so that links stay short. */
export interface ListSearch {
  readonly q?: string;
  /** All of them must be there. */
  readonly tags?: readonly string[];
  /** Absent: all but archived ones; with a search these, too. */
  readonly status?: ExperimentState;
  readonly sort?: SortColumn;
  readonly order?: SortOrder;
  /** From 1. */
  readonly page?: number;
}

export const rowsPerPage = 50;
const defaultSort: SortColumn = 'created';

const isSortColumn = (value: unknown): value is SortColumn => sortColumns.some((column) => column === value);
/** The router parses a text of digits as a number. */
const asText = (value: unknown): unknown => (typeof value === 'number' ? String(value) : value);
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** A status that an address contains; `active` is that of an earlier version. */
const statusOf = (value: unknown): ExperimentState | undefined =>
  value === 'active' ? 'running' : experimentStates.find((state) => state === value);

/** The order in which a column is sorted first: newest, most and running first; texts from A. */
export const firstOrder = (column: SortColumn): SortOrder =>
  column === 'created' || column === 'ended' || column === 'workers' ? 'desc' : 'asc';

export const sortOf = (search: ListSearch): { readonly column: SortColumn; readonly order: SortOrder } => {
  const column = search.sort ?? defaultSort;
  return { column, order: search.order ?? firstOrder(column) };
};

/** Parses the search part of an address, which a person may have typed; unknown parts are left out. */
export function readListSearch(raw: Record<string, unknown>): ListSearch {
  const q = asText(raw.q);
  const tags = [...new Set([raw.tags].flat().map(asText).filter(isText))];
  const { sort, order, page } = raw;
  const status = statusOf(raw.status);
  const column = isSortColumn(sort) ? sort : defaultSort;
  return {
    ...(isText(q) ? { q } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(status === undefined ? {} : { status }),
    ...(column !== defaultSort ? { sort: column } : {}),
    ...((order === 'asc' || order === 'desc') && order !== firstOrder(column) ? { order } : {}),
    ...(typeof page === 'number' && Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}

/** New values for parts of a search; `undefined` or an invalid value removes a part. */
export type ListChange = { readonly [Key in keyof ListSearch]?: unknown };

/** The search after a change; any change except of the page goes back to the first page. */
export const changeListSearch = (search: ListSearch, change: ListChange): ListSearch =>
  readListSearch({ ...search, page: undefined, ...change });

/** The search after a click on the head of a column. */
export function toggleSort(search: ListSearch, column: SortColumn): ListSearch {
  const current = sortOf(search);
  const order = current.column !== column ? firstOrder(column) : current.order === 'asc' ? 'desc' : 'asc';
  return changeListSearch(search, { sort: column, order });
}

const textOf = ({ experiment: { experiment, description, created_by, tags } }: ExperimentRow): string =>
  [experiment, description ?? '', created_by ?? '', ...tags].join('\n').toLowerCase();

/** Whether name, description, creator or tags contain every word of the search, and the filters match. */
export function matches(row: ExperimentRow, search: ListSearch): boolean {
  const state = stateOf(row);
  if (search.status === undefined ? state === 'archived' && search.q === undefined : state !== search.status)
    return false;
  const own = row.experiment.tags.map((tag) => tag.toLowerCase());
  if (search.tags?.some((tag) => !own.includes(tag.toLowerCase()))) return false;
  const words = search.q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  if (words.length === 0) return true;
  const text = textOf(row);
  return words.every((word) => text.includes(word));
}

/** `growth-9` is before `growth-10`. */
const naturally = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

type Comparison = (left: ExperimentRow, right: ExperimentRow) => number;

const comparisons: { readonly [Column in SortColumn]: Comparison } = {
  name: (left, right) => naturally.compare(left.experiment.experiment, right.experiment.experiment),
  status: (left, right) => experimentStates.indexOf(stateOf(left)) - experimentStates.indexOf(stateOf(right)),
  organism: (left, right) => naturally.compare(designText(left.design), designText(right.design)),
  tags: (left, right) => naturally.compare(left.design.tags.join(' '), right.design.tags.join(' ')),
  workers: (left, right) => (left.workers?.assigned ?? 0) - (right.workers?.assigned ?? 0),
  created: (left, right) => left.createdAtMs - right.createdAtMs,
  ended: (left, right) => (left.endedAtMs ?? 0) - (right.endedAtMs ?? 0),
};

/** Rows without a value to sort by are at the end in both orders. */
const isMissing: { readonly [Column in SortColumn]?: (row: ExperimentRow) => boolean } = {
  organism: ({ design }) => designText(design) === '',
  tags: ({ design }) => design.tags.length === 0,
  ended: ({ endedAtMs }) => endedAtMs === null,
};

export function sortRows(
  rows: readonly ExperimentRow[],
  column: SortColumn,
  order: SortOrder,
): readonly ExperimentRow[] {
  const sign = order === 'asc' ? 1 : -1;
  const isLast = isMissing[column] ?? (() => false);
  return [...rows].sort(
    (left, right) =>
      Number(isLast(left)) - Number(isLast(right)) ||
      sign * comparisons[column](left, right) ||
      comparisons.created(right, left) ||
      comparisons.name(left, right),
  );
}

export interface ListPage {
  readonly rows: readonly ExperimentRow[];
  /** How many match, on all pages. */
  readonly matching: number;
  readonly page: number;
  readonly pages: number;
}

/** The shown page of the list. A number beyond the last page means the last page. */
export function listPage(rows: readonly ExperimentRow[], search: ListSearch): ListPage {
  const { column, order } = sortOf(search);
  const matching = rows.filter((row) => matches(row, search));
  const pages = Math.max(1, Math.ceil(matching.length / rowsPerPage));
  const page = Math.min(search.page ?? 1, pages);
  const start = (page - 1) * rowsPerPage;
  return {
    rows: sortRows(matching, column, order).slice(start, start + rowsPerPage),
    matching: matching.length,
    page,
    pages,
  };
}

export const hasFilter = (search: ListSearch): boolean =>
  search.q !== undefined || search.tags !== undefined || search.status !== undefined;
