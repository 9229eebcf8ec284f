import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

export const PioreactorImport = closed(
  {
    folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_096,
        description:
          "The other system's folder on the leader's machine, such as /home/pioreactor/.pioreactor; only from that machine, through its Unix socket or without accounts",
      }),
    ),
    upload_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: textLimit,
        description: 'A zip of that folder, from /api/system/upload',
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only the report; nothing is changed' })),
    experiments: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: textLimit }), {
        minItems: 1,
        maxItems: 1_000,
        description: 'Names there; default: all',
      }),
    ),
    on_conflict: Type.Optional(
      Type.Union([Type.Literal('rename'), Type.Literal('skip')], {
        description: 'For an experiment whose name another one has here; default `rename`: it gets a suffix',
      }),
    ),
  },
  { title: 'PioreactorImport' },
);
export type PioreactorImport = Static<typeof PioreactorImport>;

const Skipped = closed({ reason: Type.String(), rows: Type.Integer() }, { title: 'SkippedRows' });

const ImportedTable = closed(
  {
    table: Type.String(),
    rows: Type.Integer({ description: 'In the source' }),
    imported: Type.Integer({ description: 'Rows that came, now or in an earlier import' }),
    skipped: Type.Array(Skipped),
    values: Type.Integer({ description: 'Readings or entries that the imported rows contain' }),
    checksum: Type.String({ description: 'SHA-256 over them as the source has them' }),
    stored_values: Nullable(Type.Integer(), { description: 'Read back from the store; null: dry run' }),
    stored_checksum: Nullable(Type.String()),
    fault: Nullable(Type.String(), { description: 'Why the table was not read to its end' }),
  },
  { title: 'ImportedTable' },
);

const ImportedExperiment = closed(
  {
    source_name: Type.String(),
    experiment: Nullable(Type.String(), { description: 'Its name here; null: it does not come' }),
    status: Type.Union([Type.Literal('new'), Type.Literal('known'), Type.Literal('skipped')], {
      description: '`known`: from an earlier import, now with the rows that were missing',
    }),
    reason: Nullable(Type.String()),
    rows: Type.Integer(),
  },
  { title: 'ImportedExperiment' },
);

const ImportedFile = closed(
  {
    file: Type.String(),
    kind: Type.Union([Type.Literal('profile'), Type.Literal('calibration'), Type.Literal('estimator')]),
    status: Type.Union([Type.Literal('imported'), Type.Literal('known'), Type.Literal('skipped')]),
    target: Nullable(Type.String(), { description: 'File name here, or unit and device' }),
    messages: Type.Array(Type.String(), { description: 'Diagnostics, or why it does not come' }),
  },
  { title: 'ImportedFile' },
);

const ComparedSetting = closed(
  {
    file: Type.String(),
    section: Type.String(),
    key: Type.String(),
    value: Type.String({ description: 'There; hidden if it may be a secret, or has no meaning here' }),
    value_here: Nullable(Type.String(), { description: 'In the shared configuration; null: it does not have the key' }),
    status: Type.Union([Type.Literal('same'), Type.Literal('differs'), Type.Literal('no_meaning')], {
      description: '`no_meaning`: no setting here has this name',
    }),
  },
  { title: 'ComparedSetting' },
);

/** What came from another system, and what did not. */
export const ImportReport = closed(
  {
    import_id: Type.String(),
    source: Type.String({ description: 'The folder, or the name of the archive' }),
    is_dry_run: Type.Boolean(),
    is_verified: Nullable(Type.Boolean(), {
      description:
        'Every experiment that was asked for came, every row that was accepted is in the store with the same checksum, and nothing wrote the source meanwhile; null: dry run',
    }),
    source_changed: Type.Boolean({ description: 'Something wrote the database meanwhile: import again' }),
    started_at: Timestamp,
    ended_at: Timestamp,
    experiments: Type.Array(ImportedExperiment),
    tables: Type.Array(ImportedTable),
    other_tables: Type.Array(
      closed({ table: Type.String(), rows: Nullable(Type.Integer()), reason: Type.String() }, { title: 'OtherTable' }),
    ),
    files: Type.Array(ImportedFile),
    configuration: Type.Array(ComparedSetting),
  },
  { title: 'ImportReport' },
);
export type ImportReport = Static<typeof ImportReport>;

export const ListedImports = Type.Array(
  closed(
    {
      import_id: Type.String(),
      source: Type.String(),
      is_dry_run: Type.Boolean(),
      is_verified: Nullable(Type.Boolean()),
      ended_at: Timestamp,
    },
    { title: 'ListedImport' },
  ),
);
export type ListedImports = Static<typeof ListedImports>;

/** The result of the task that imports. */
export const EndedImport = closed(
  { import_id: Type.String(), is_verified: Nullable(Type.Boolean()) },
  { title: 'EndedImport' },
);
