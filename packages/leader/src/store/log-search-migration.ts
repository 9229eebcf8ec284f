/** One row per log entry, found by the trigrams of its text; see `logs/log-search.ts`. */
interface LogsSearchTable {
  rowid: number;
  logs_search: string;
}

export interface LogSearchTables {
  logs_search: LogsSearchTable;
}

/**
 * The search index of an entry: its texts, and marks for the experiment, unit, source and level, so that a search within those finds nothing
 * else. `logs/log-search.ts` writes the queries for it.
 */
const searchText = (row: string) => `
  ${row}.message || char(10) || ${row}.task || char(10) || '|e' || ifnull(${row}.experiment_id, '$') || '|u' ||
  ${row}.reactor_unit || '|s' || ${row}.source || '|' || case ${row}.level when 'DEBUG' then 0 when 'INFO' then 1
  when 'NOTICE' then 2 when 'WARNING' then 3 when 'ERROR' then 4 else 5 end || '|'`;

/** Rows of the index are in the order of time: searches read the newest first and stop when they have enough. */
const searchRow = (row: string) => `(${row}.at << 10) | (${row}.id & 1023)`;

const indexesByLevel = `    drop index logs_by_experiment;
    drop index logs_by_unit;
    create index logs_by_level on logs (level, at desc, id desc);
    create index logs_by_experiment on logs (experiment_id, level, at desc, id desc);
    create index logs_by_unit on logs (reactor_unit, level, at desc, id desc);
    create index logs_by_experiment_and_unit on logs (experiment_id, reactor_unit, level, at desc, id desc);`;

/** PostgreSQL searches the texts of the entries themselves. */
const noSearchIndex = '';

/** Pages of the event log, and text in it, without reading the whole log. */
export const logSearchMigration = {
  set: 'log_search',
  id: 1,
  name: 'indexes by level, text search',
  upPostgres: indexesByLevel,
  up: `
${indexesByLevel}

    create virtual table logs_search using fts5(
      text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram'
    );
    insert into logs_search (rowid, text) select ${searchRow('logs')}, ${searchText('logs')} from logs order by at, id;
    create trigger logs_search_insert after insert on logs begin
      insert into logs_search (rowid, text) values (${searchRow('new')}, ${searchText('new')});
    end;
    create trigger logs_search_delete after delete on logs begin
      delete from logs_search where rowid = ${searchRow('old')};
    end;
  `,
} as const;

/**
 * Entries of one time whose IDs are 1,024 apart share a row of the index. Deleting the row removes all of them: the remaining entries are
 * inserted again.
 */
export const sharedSearchRowMigration = {
  set: 'log_search',
  id: 2,
  name: 'rows of the text search that entries share',
  upPostgres: noSearchIndex,
  up: `
    drop trigger logs_search_delete;
    create trigger logs_search_delete after delete on logs begin
      delete from logs_search where rowid = ${searchRow('old')};
      insert into logs_search (rowid, text) select ${searchRow('logs')}, ${searchText('logs')} from logs
        where at = old.at and (id & 1023) = (old.id & 1023) order by id;
    end;
  `,
} as const;

/** Finds the entries of a search row directly: before, all entries of one time were checked for each that was removed. */
export const searchRowIndexMigration = {
  set: 'log_search',
  id: 3,
  name: 'entries by their row of the text search',
  upPostgres: noSearchIndex,
  up: `
    create index logs_by_search_row on logs ((at << 10) | (id & 1023));
    drop trigger logs_search_delete;
    create trigger logs_search_delete after delete on logs begin
      delete from logs_search where rowid = ${searchRow('old')};
      insert into logs_search (rowid, text) select ${searchRow('logs')}, ${searchText('logs')} from logs
        where (${searchRow('logs')}) = (${searchRow('old')}) order by id;
    end;
  `,
} as const;

/** An entry with a corrected time has another position in the index. */
export const movedEntriesSearchMigration = {
  set: 'log_search',
  id: 4,
  name: 'text search of entries whose time is corrected',
  upPostgres: noSearchIndex,
  up: `
    create trigger logs_search_update after update of at on logs begin
      delete from logs_search where rowid = ${searchRow('old')};
      insert into logs_search (rowid, text) select ${searchRow('logs')}, ${searchText('logs')} from logs
        where (${searchRow('logs')}) = (${searchRow('old')}) order by id;
      insert into logs_search (rowid, text) values (${searchRow('new')}, ${searchText('new')});
    end;
  `,
} as const;
