import { constants, DatabaseSync } from 'node:sqlite';
import { instant } from '../../store/views-migration.ts';
import type { CalibrationRow } from '../calibration-rows.ts';

/** Values of these keys of a configuration file are nobody's business. */
const secretValue = /^([ \t]*(?:password|passphrase|api_key)[ \t]*[=:]).*$/gim;

const decoded = (text: string): string => Buffer.from(text, 'base64').toString('utf8');

/** A function of one text; null stays null. */
const ofText = (change: (text: string) => string) => (value: unknown) => {
  if (value === null || value === undefined) return null;
  return change(value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value));
};

/** Names that mean something else in our tables, as people know them: for this connection they come first. */
const classicViews = `
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

  create temp view config_files_histories as
  select h.timestamp as timestamp, h.filename as filename, BLANK_SECRETS(h.data) as data
  from main.config_files_histories h;

  ${['dosing', 'led', 'temperature']
    .map(
      (kind) => `create temp view ${kind}_automation_settings as
        select s.experiment, s.reactor_unit, s.started_at, s.ended_at, s.automation_name,
          TO_BASE64(s.settings) as settings
        from main.${kind}_automation_settings s;`,
    )
    .join('\n')}

  create temp table calibrations (
    reactor_unit text, created_at text, type text, data text, name text, is_current integer, set_to_current_at text
  );
`;

const isReadingAction = (action: number): boolean =>
  action === constants.SQLITE_READ || action === constants.SQLITE_SELECT || action === constants.SQLITE_FUNCTION;

/** The schema's own tables would show what else is there. */
const isSchemaTable = (table: string): boolean => /^sqlite_|^pragma_/i.test(table);

/**
 * A read-only connection to the leader's database for what people may read: the classic views under their names. Everything
 * it reads comes from one snapshot, taken when it is opened.
 */
export class ClassicConnection {
  readonly database: DatabaseSync;
  readonly #views: ReadonlySet<string>;

  private constructor(database: DatabaseSync, views: ReadonlySet<string>) {
    this.database = database;
    this.#views = views;
  }

  static open(path: string, calibrations: readonly CalibrationRow[] = []): ClassicConnection {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 15_000 });
    // Sorting spills to the disk; the cache is for indexes only.
    database.exec('pragma temp_store = file; pragma cache_size = -4000;');
    database.function('BASE64', { deterministic: true }, ofText(decoded));
    database.function(
      'TO_BASE64',
      { deterministic: true },
      ofText((text) => Buffer.from(text).toString('base64')),
    );
    database.function(
      'BLANK_SECRETS',
      { deterministic: true },
      ofText((text) => text.replaceAll(secretValue, '$1')),
    );
    database.exec(classicViews);
    const insert = database.prepare('insert into temp.calibrations values (?, ?, ?, ?, ?, ?, ?)');
    for (const row of calibrations) insert.run(...row);
    database.exec('begin');
    const names = database
      .prepare("select name from main.sqlite_schema where type = 'view' union select name from temp.sqlite_schema")
      .all();
    return new ClassicConnection(database, new Set(names.map(({ name }) => String(name))));
  }

  close(): void {
    this.database.close();
  }

  /**
   * Calls `prepare` while nothing but reading of the classic views is allowed. What is reached through a view is allowed, and
   * so are the tables of plugins.
   */
  confined<Result>(prepare: () => Result): Result {
    this.database.setAuthorizer((action, name, _column, _schema, view) => {
      if (!isReadingAction(action)) return constants.SQLITE_DENY;
      if (action !== constants.SQLITE_READ || name === null || this.#views.has(name)) return constants.SQLITE_OK;
      if (isSchemaTable(name)) return constants.SQLITE_DENY;
      return (view !== null && this.#views.has(view)) || name.startsWith('plugin_')
        ? constants.SQLITE_OK
        : constants.SQLITE_DENY;
    });
    try {
      return prepare();
    } finally {
      this.database.setAuthorizer(null);
    }
  }
}
