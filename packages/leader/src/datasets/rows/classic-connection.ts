import { randomUUID } from 'node:crypto';
import { constants, DatabaseSync } from 'node:sqlite';
import { withHiddenSecrets } from '@lcs/platform/config-secrets';
import { type SqlReader, type SqlStatement, type StorePlace, ViewsReader } from '@lcs/platform/sql-reader';
import { instant } from '../../store/views-migration.ts';

/** Bytes of one value; a query may create values of any length, and they are outside of a thread's memory limit. */
const longestValue = 16 * 1024 * 1024;

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** A function of one text; null stays null. */
const ofText = (change: (text: string) => string) => (value: unknown) => {
  if (value === null || value === undefined) return null;
  return change(value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value));
};

/**
 * Public names that mean something else in our tables: on this connection they take precedence. The hiding view reads from `hidden`, a name
 * that nobody can guess: a query may define its own table expression
 * `config_files_histories`, which would otherwise be taken for that view.
 */
const classicViews = (hidden: string): string => `
  create temp view logs as select * from main.event_logs;

  create temp view experiments as
  select e.name as experiment, ${instant('e.created_at')} as created_at, e.description as description
  from main.experiments e where e.deleting_at is null;

  create temp view experiment_tags as
  select e.name as experiment, t.tag as tag, ${instant('e.created_at')} as created_at
  from main.experiment_tags t join main.experiments e on e.id = t.experiment_id and e.deleting_at is null
  order by e.id, t.position;

  create temp view experiment_notes as
  select e.name as experiment, n.reactor_unit as reactor_unit, ${instant('n.at')} as timestamp, n.kind as kind,
    n.text as text, n.volume_ml as volume_ml, n.author as author
  from main.experiment_notes n join main.experiments e on e.id = n.experiment_id and e.deleting_at is null;

  create temp view "${hidden}" as
  select ${instant('h.at')} as timestamp, h.filename as filename, HIDE_SECRETS(h.data) as data
  from main.config_histories h;
  create temp view config_files_histories as select * from temp."${hidden}";

  ${['dosing', 'led', 'temperature']
    .map(
      (kind) => `create temp view ${kind}_automation_settings as
        select s.experiment, s.reactor_unit, s.started_at, s.ended_at, s.automation_name,
          TO_BASE64(s.settings) as settings
        from main.${kind}_automation_settings s;`,
    )
    .join('\n')}

  create temp view gaps as
  select g.reactor_unit as reactor_unit, ${instant('g.from_at')} as from_at, ${instant('g.to_at')} as to_at,
    g.reason as reason, g.to_seq - g.from_seq + 1 as records, g.dropped as dropped
  from main.gaps g
  union all
  select v.reactor_unit, ${instant("json_extract(v.data, '$.last_record_at')")}, ${instant('v.at')},
    case json_extract(v.data, '$.clean') when 1 then 'unit_stopped' else 'unit_off' end, null, null
  from main.events v where v.experiment_uid = '$experiment' and v.name = 'node_started'
    and json_type(v.data, '$.last_record_at') = 'integer';

  create temp view calibrations as
  select c.reactor_unit, ${instant('c.created_at')} as created_at, c.type as type, c.data as data, c.name as name,
    c.is_current as is_current, ${instant('c.set_to_current_at')} as set_to_current_at,
    ${instant('c.copied_at')} as copied_at
  from main.calibrations c;
`;

const isReadingAction = (action: number): boolean =>
  action === constants.SQLITE_READ || action === constants.SQLITE_SELECT || action === constants.SQLITE_FUNCTION;

/** The name of a table, and with `view` and `column` of the view's source, as one text. */
const keyOf = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);

/** The public names: the views, and of two with one name the first. */
function publicNames(database: DatabaseSync, hidden: string): ReadonlySet<string> {
  const namesIn = (schema: 'main' | 'temp', types: string): string[] =>
    database
      .prepare(`select name from ${schema}.sqlite_schema where type in (${types}) and name <> ?`)
      .all(hidden)
      .map(({ name }) => String(name));
  const own = namesIn('temp', "'view', 'table'");
  const stored = namesIn('main', "'view'").filter((name) => !own.includes(name));
  return new Set([...own.map((name) => keyOf('temp', name)), ...stored.map((name) => keyOf('main', name))]);
}

/** A table or query of a person. */
export interface ForeignRelation {
  readonly table: string | null;
  readonly query: string | null;
}

/**
 * A read-only connection to the leader's store with the public views under their classic names. It reads from one snapshot, taken when it
 * is opened.
 */
export interface ClassicConnection {
  /** For the program itself: tables as `main.…`, views by their names. */
  readonly database: SqlReader;
  /**
   * Prepares a statement about the rows of a person's table or query, which may read nothing but the classic views. `around` has that
   * table or query as its argument.
   * @throws Error of the database when it cannot be read
   */
  prepareForeign(relation: ForeignRelation, around: (relation: string) => string): SqlStatement;
  close(): void;
}

/** The longest time that a statement takes, if the store is in PostgreSQL. */
export interface ClassicConnectionOptions {
  readonly statementLimitMs: number;
}

/** @throws StoreError connection_lost */
export const openClassicConnection = (
  place: StorePlace,
  { statementLimitMs }: ClassicConnectionOptions,
): ClassicConnection =>
  'url' in place
    ? new PostgresClassicConnection(ViewsReader.open({ ...place, statementLimitMs }))
    : SqliteClassicConnection.open(place.path);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The source of the rows. */
export const relationText = ({ table, query }: ForeignRelation): string =>
  query === null ? quoted(table ?? '') : `(${query}\n)`;

class PostgresClassicConnection implements ClassicConnection {
  readonly #reader: ViewsReader;

  constructor(reader: ViewsReader) {
    this.#reader = reader;
  }

  get database(): SqlReader {
    return this.#reader.database;
  }

  prepareForeign({ table, query }: ForeignRelation, around: (relation: string) => string): SqlStatement {
    return this.#reader.prepareForeign(query ?? `select * from ${quoted((table ?? '').toLowerCase())}`, around);
  }

  close(): void {
    this.#reader.close();
  }
}

/** SQLite: views of the connection, and an authorizer. */
export class SqliteClassicConnection implements ClassicConnection {
  readonly database: DatabaseSync;
  readonly #names: ReadonlySet<string>;
  #reach: ReadonlySet<string> | undefined;

  private constructor(database: DatabaseSync, names: ReadonlySet<string>) {
    this.database = database;
    this.#names = names;
  }

  static open(path: string): SqliteClassicConnection {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 15_000, limits: { length: longestValue } });
    // Sorting spills to the disk; the cache is for indexes only. With 4 MB instead of 1 MB an export takes 5 MB more, and a
    // sort of 0.7 million rows 7 % less time.
    database.exec('pragma temp_store = file; pragma cache_size = -1000;');
    database.function('BASE64', { deterministic: true }, ofText(decoded));
    database.function(
      'TO_BASE64',
      { deterministic: true },
      ofText((text) => Buffer.from(text).toString('base64')),
    );
    database.function('HIDE_SECRETS', { deterministic: true }, ofText(withHiddenSecrets));
    const hidden = `hidden ${randomUUID()}`;
    database.exec(classicViews(hidden));
    database.exec('begin');
    return new SqliteClassicConnection(database, publicNames(database, hidden));
  }

  close(): void {
    this.database.close();
  }

  prepareForeign(relation: ForeignRelation, around: (relation: string) => string): SqlStatement {
    return this.confined(() => {
      // Prepared alone first: it must be a complete statement, not the beginning of one followed by something else.
      if (relation.query !== null) this.database.prepare(relation.query);
      return this.database.prepare(around(relationText(relation)));
    });
  }

  /**
   * Calls `prepare` while only reading of the classic views is permitted. A view may read its own sources, column by column; tables of plugins
   * may be read directly.
   */
  confined<Result>(prepare: () => Result): Result {
    this.#reach ??= this.#reachOfViews();
    const reach = this.#reach;
    this.database.setAuthorizer((action, name, column, schema, view) => {
      if (!isReadingAction(action)) return constants.SQLITE_DENY;
      if (action !== constants.SQLITE_READ || name === null) return constants.SQLITE_OK;
      // Where rows are only counted, SQLite mostly passes no schema.
      const schemas = schema === null ? (['temp', 'main'] as const) : [schema];
      const isOfPlugin = name.startsWith('plugin_') && schema !== 'temp';
      const isPublic = isOfPlugin || schemas.some((one) => this.#names.has(keyOf(one, name)));
      return isPublic || reach.has(keyOf(view, schema, name, column)) ? constants.SQLITE_OK : constants.SQLITE_DENY;
    });
    try {
      return prepare();
    } finally {
      this.database.setAuthorizer(null);
    }
  }

  /** The columns that each view reads, according to the database. */
  #reachOfViews(): ReadonlySet<string> {
    const reach = new Set<string>();
    this.database.setAuthorizer((action, name, column, schema, view) => {
      if (action === constants.SQLITE_READ && view !== null) {
        reach.add(keyOf(view, schema, name, column));
        // Rows that are only counted are read without a column, often without the view and the schema.
        for (const written of [schema, null]) {
          reach.add(keyOf(view, written, name, '')).add(keyOf(null, written, name, ''));
        }
      }
      return constants.SQLITE_OK;
    });
    try {
      for (const key of this.#names) {
        const [schema, name]: readonly string[] = JSON.parse(key);
        this.database.prepare(`select * from ${schema}."${name}"`);
      }
    } finally {
      this.database.setAuthorizer(null);
    }
    return reach;
  }
}
