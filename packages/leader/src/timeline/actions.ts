import { isObject, type JobDescriptor, sourceWithoutAccount } from '@lcs/contract';
import { type BioreactorKey, type bottleKeys, builtInJobDescriptors } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { AuditDatabase } from '../audit/audit-tables.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { pumpOutputs } from '../series/pumped-runs.ts';
import { automationNames, jobName, lowered } from './job-names.ts';
import { type FoundEntry, type TimelineFilter, type TimelineSource, withoutFacts } from './timeline-source.ts';

/** A request of a person or a program that changed something of the experiment, from the audit. */
interface ActionRow {
  readonly seq: number;
  readonly at: number;
  readonly caller_kind: string;
  readonly caller: string;
  readonly operation: string;
  readonly path: string;
  readonly unit: string | null;
  readonly job: string | null;
  /** JSON. */
  readonly body: string | null;
  /** JSON: the units that a command to several of them has chosen. */
  readonly units: string | null;
  /** The failure of the accepted command, if it failed on one unit at least. */
  readonly failure_code: string | null;
  /** JSON: the units on which it failed; those of the command: it did nothing anywhere. */
  readonly failed_units: string | null;
}

const runs = ['runWorkerJob', 'runWorkerJobPatch', 'runUnitJob', 'runUnitJobPatch'];
const stops = ['stopWorkerJob', 'stopWorkerJobPatch', 'stopUnitJob', 'stopUnitJobPatch'];
const updates = ['updateWorkerJob', 'updateUnitJob'];
const stopsOfAll = [
  'stopWorkerJobsOfExperiment',
  'stopWorkerJobsOfExperimentPatch',
  'stopUnitJobsOfExperiment',
  'stopUnitJobsOfExperimentPatch',
];
/** Of one experiment. */
const operations = [
  ...runs,
  ...stops,
  ...updates,
  ...stopsOfAll,
  'assignWorker',
  'unassignWorker',
  'unassignExperimentWorkers',
  'updateBioreactor',
  'stopProfileRun',
];
/** Of all experiments. */
const operationsOfAll = ['stopEverywhere', 'unassignAllWorkers'];
const broadcast = '$broadcast';

/** A column of the entry about the failure of an accepted request. */
const ofFailure = (column: 'code' | 'units'): RawBuilder<string | null> =>
  sql`(select f.${sql.ref(column)} from audit f indexed by audit_failed_requests
    where f.request_id = audit.request_id and f.status >= 400 and audit.status = 202 limit 1)`;

/** Kinds of callers without an account. */
const withoutAccount = ['local', 'anonymous'];

const isBy = (by: string): RawBuilder<unknown> =>
  by === sourceWithoutAccount
    ? sql`caller_kind in (${sql.join(withoutAccount)})`
    : sql`caller = ${by} and caller_kind not in (${sql.join(withoutAccount)})`;

/** The audit has the fields that a request has changed. */
const hasChanged = sql`not (operation = 'assignWorker' and ifnull(before, '') = '{}' and ifnull(after, '') = '{}')`;

/** Actions in one experiment, or those that concern all experiments. */
export const actionsQuery = (
  { experiment, createdAt, endedAt, unit, by, since, until, before, limit }: TimelineFilter,
  scope: 'experiment' | 'all',
): RawBuilder<ActionRow> => {
  const from = Math.max(createdAt, since ?? 0);
  // Where an index continues in the order of time, each operation is read by itself.
  const rowsOf = (where: RawBuilder<unknown>, index: string): RawBuilder<unknown> => sql`
    select * from (
      select seq, at, caller_kind, caller, operation, path, unit, job, body, units,
        ${ofFailure('code')} as failure_code, ${ofFailure('units')} as failed_units
      from audit indexed by ${sql.ref(index)}
      where ${where} and at >= ${from} and status < 400
        ${until === undefined ? sql`` : sql`and at < ${until}`}
        ${by === undefined ? sql`` : sql`and ${isBy(by)}`}
        ${before === undefined ? sql`` : sql`and (at, seq) < (${before.at}, ${before.id})`}
      order by at desc, seq desc limit ${limit})`;
  if (scope === 'all') {
    // They do not concern an experiment that has ended.
    const ended = endedAt === null ? sql`` : sql`and at <= ${endedAt}`;
    const each = operationsOfAll.map((operation) =>
      rowsOf(sql`operation = ${operation} ${ended}`, 'audit_by_operation'),
    );
    return sql<ActionRow>`${sql.join(each, sql` union all `)}`;
  }
  const ofUnit =
    unit === undefined
      ? sql``
      : sql`and unit in (${unit}, ${broadcast})
          and (units is null or exists (select 1 from json_each(units) where value = ${unit}))`;
  return sql<ActionRow>`${rowsOf(
    sql`experiment = ${experiment} and operation in (${sql.join(operations)}) and ${hasChanged} ${ofUnit}`,
    'audit_by_experiment',
  )}`;
};

/** A unit carries out a stop within this time, or it is not reached; its clock may be a little behind. */
const stopTakesMs = { before: 2_000, after: 15_000 };

/** The units on which dosing, or a run of a pump, has ended at a stop of all pumps. */
export const stoppedPumpsQuery = (experimentUid: string, at: number): RawBuilder<{ readonly reactor_unit: string }> => {
  const [from, until] = [at - stopTakesMs.before, at + stopTakesMs.after];
  const runs = pumpOutputs.map(
    (output) => sql`
      select v.reactor_unit from events v indexed by actuations_by_experiment_output
      where v.name = 'actuation' and v.experiment_uid = ${experimentUid} and json_extract(v.data, '$.output') = ${output}
        and v.at >= ${from} and v.at < ${until} and json_extract(v.data, '$.from') is not null`,
  );
  return sql`
    select v.reactor_unit from events v indexed by events_by_experiment
    where v.experiment_uid = ${experimentUid} and v.name = 'automation_settings' and v.at >= ${from} and v.at < ${until}
      and json_extract(v.data, '$.kind') = 'dosing' and json_extract(v.data, '$.ended_at') is not null
    union ${sql.join(runs, sql` union `)} order by reactor_unit`;
};

/** Options that a program sends about itself. */
const optionsOfPrograms: ReadonlySet<string> = new Set(['source_of_event']);

/** Options whose names are units. */
const unitOptions: ReadonlyMap<string, string> = new Map([
  ['ml', 'mL'],
  ['duration', 's'],
]);

const words = (key: string): string => key.replaceAll('_', ' ').replace(/^\$/, '');

const stateWords: ReadonlyMap<unknown, string> = new Map([
  ['sleeping', 'paused'],
  ['ready', 'resumed'],
  ['disconnected', 'stopped'],
]);

function valueText(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? words(value) : 'set';
}

/** `target speed 600 RPM`. */
function settingText(job: JobDescriptor | undefined, key: string, value: unknown): string {
  const field = job?.published_settings.find((one) => one.key === key);
  const ownUnit = field === undefined && typeof value === 'number' ? unitOptions.get(key) : undefined;
  if (ownUnit !== undefined) return `${valueText(value)} ${ownUnit}`;
  const label = field?.label ?? words(key);
  // `Target stir RPM 600`: the label has the unit.
  const unit = field === undefined || label.endsWith(` ${field.unit}`) ? '' : (field.unit ?? '');
  return `${lowered(label)} ${valueText(value)}${unit === '' ? '' : ` ${unit}`}`;
}

/** A field of a body; a long body is recorded in part, and then has none. */
function fieldOf(body: string | null, field: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body ?? '{}');
    return isObject(parsed) ? parsed[field] : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(body: string | null, field: string): Readonly<Record<string, unknown>> {
  const value = fieldOf(body, field);
  return isObject(value) ? value : {};
}

/** As many names as a line has room for. */
const mostNames = 3;

/** The chosen units of a command; `several units`: its entry is of a version that did not record them, or it chose all. */
function chosenText(units: string | null): string {
  const parsed: unknown = units === null ? [] : JSON.parse(units);
  const names = Array.isArray(parsed) ? parsed.map(String) : [];
  return names.length === 0 ? 'several units' : namesText(names);
}

function namesText(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  if (names.length > mostNames) return `${names.length} units (${names.slice(0, mostNames).join(', ')}, …)`;
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** Why an accepted command was not carried out, by the code of its failure. */
const failureWords: ReadonlyMap<string, string> = new Map([
  ['dilution_not_confirmed', 'it would dilute the culture, and nobody confirmed that'],
  ['job_already_running', 'it was running already'],
  ['job_not_running', 'it did not run'],
  ['connection_error', 'the unit did not answer'],
  ['task_timeout', 'the unit did not answer in time'],
  ['bioreactor_values_invalid', 'a volume is not possible'],
]);

type Action = Pick<ActionRow, 'operation' | 'job' | 'body' | 'unit' | 'units'>;

const stopsPumps = ({ operation, body }: Pick<ActionRow, 'operation' | 'body'>): boolean =>
  operation === 'stopEverywhere' && fieldOf(body, 'what') === 'pumps';

type Failure = Pick<ActionRow, 'failure_code' | 'failed_units'>;

/** What was requested and not done: `Dosing not started`. */
function undoneText(action: Action): string {
  const { operation, job, unit, units } = action;
  const where = unit === broadcast ? ` on ${chosenText(units)}` : '';
  const verbs: readonly (readonly [operations: readonly string[], text: string])[] = [
    [runs, `${jobName(job)} not started${where}`],
    [stops, `${jobName(job)} not stopped${where}`],
    [updates, `${jobName(job)} not changed${where}`],
  ];
  return verbs.find(([those]) => those.includes(operation))?.[1] ?? `Not done: ${lowered(actionText(action))}`;
}

/** What became of a command: what was done, what was not, and why. `dosed`: the units whose pumps a stop of all pumps has stopped. */
export function commandText(
  { failure_code: code, failed_units: failed, ...action }: Action & Failure,
  dosed: readonly string[] = [],
): string {
  const where = dosed.length === 0 ? '' : `: dosing ended on ${namesText(dosed)}`;
  if (code === null) return `${actionText(action)}${where}`;
  const why = failureWords.get(code) ?? words(code);
  // The entry about a failure on all units has the units of the command.
  return failed === action.units
    ? `${undoneText(action)}: ${why}`
    : `${actionText(action)}${where}; failed on ${chosenText(failed)}: ${why}`;
}

const vialWords: Readonly<Record<BioreactorKey, string>> = {
  current_volume_ml: 'volume',
  efflux_tube_volume_ml: 'level of the waste tube',
  alt_media_fraction: 'fraction of the alternative medium',
  cumulative_media_added_ml: 'medium added so far',
  cumulative_alt_media_added_ml: 'alternative medium added so far',
  cumulative_waste_removed_ml: 'waste removed so far',
};
const bottleWords: Readonly<Record<(typeof bottleKeys)[number], string>> = {
  media_bottle_left_ml: 'medium left',
  alt_media_bottle_left_ml: 'alternative medium left',
  waste_bottle_left_ml: 'room in the waste bottle',
};

/** What a person has corrected: `Bottles corrected: medium left 250 mL`. */
function volumesText(values: Readonly<Record<string, unknown>>): string {
  const partsOf = (words: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(words)
      .filter(([key]) => Object.hasOwn(values, key))
      .map(([key, word]) => `${word} ${valueText(values[key])}${key.endsWith('_ml') ? ' mL' : ''}`);
  const [vial, bottles] = [partsOf(vialWords), partsOf(bottleWords)];
  const what = vial.length === 0 && bottles.length > 0 ? 'Bottles corrected' : 'Volumes of the vial corrected';
  const parts = [...vial, ...bottles];
  return parts.length === 0 ? what : `${what}: ${parts.join(', ')}`;
}

/** What a person did, in words: `Stirring started: target speed 600 RPM`. */
export function actionText({ operation, job, body, unit, units }: Action): string {
  const descriptor = builtInJobDescriptors.find(({ job_name }) => job_name === job);
  const name = jobName(job);
  const where = unit === broadcast ? ` on ${chosenText(units)}` : '';
  const settings = (field: string): string =>
    Object.entries(fieldsOf(body, field))
      .filter(([key]) => !key.startsWith('$') && !optionsOfPrograms.has(key))
      .filter(([, value]) => value !== null && typeof value !== 'object')
      .map(([key, value]) => settingText(descriptor, key, value))
      .join(', ');
  const withSettings = (text: string, field: string): string => [text, settings(field)].filter(Boolean).join(': ');
  if (runs.includes(operation)) {
    const started = `${name} started${where}`;
    return automationNames.has(job ?? '') ? started : withSettings(started, 'options');
  }
  if (stops.includes(operation)) return `${name} stopped${where}`;
  if (updates.includes(operation)) {
    const state = stateWords.get(fieldsOf(body, 'settings').$state);
    return withSettings(`${name} ${state ?? 'changed'}${where}`, 'settings');
  }
  if (stopsOfAll.includes(operation)) return `All jobs stopped${where}`;
  switch (operation) {
    case 'stopEverywhere':
      return stopsPumps({ operation, body }) ? 'All pumps stopped' : 'Everything stopped, on all units';
    case 'assignWorker':
      return 'Assigned to the experiment';
    case 'unassignWorker':
      return 'Removed from the experiment';
    case 'updateBioreactor':
      return volumesText(fieldsOf(body, 'values'));
    case 'stopProfileRun':
      return 'Run of a profile stopped, with the jobs that it had started';
    default:
      return 'All units removed from the experiment';
  }
}

/** Whether it stops all jobs; null: some, or those of a single unit. */
export function stopsOf({ operation, unit, body, units }: Omit<Action, 'job'>): 'everything' | 'experiment' | null {
  if (operation === 'stopEverywhere') return fieldOf(body, 'what') === 'pumps' ? null : 'everything';
  return stopsOfAll.includes(operation) && unit === broadcast && units === null ? 'experiment' : null;
}

/** Of a request about one run of a profile. */
const runOf = (path: string): string | null => /\/experiment_profiles\/runs\/([^/]+)/.exec(path)?.[1] ?? null;

const readStoppedPumps = async (reads: LeaderReader, experimentUid: string, at: number): Promise<readonly string[]> =>
  (await stoppedPumpsQuery(experimentUid, at).execute(reads)).rows.map(({ reactor_unit }) => reactor_unit);

function toEntry(row: ActionRow, dosed: readonly string[]): FoundEntry {
  const { seq, at, unit, caller, caller_kind, path } = row;
  return {
    id: seq,
    at,
    entry: {
      ...withoutFacts,
      entry_id: `action-${seq}`,
      kind: 'action',
      at: toTimestamp(at),
      reactor_unit: unit === broadcast ? null : unit,
      text: commandText(row, dosed),
      by: withoutAccount.includes(caller_kind) ? sourceWithoutAccount : caller,
      run_id: runOf(path),
      stops: stopsOf(row),
    },
  };
}

/** What people and programs did: starts, stops and settings of jobs, assignments. `audit` has who it was. */
export const actionSource =
  (audit: AuditDatabase): TimelineSource =>
  async (reads, filter) => {
    const [own, all] = await Promise.all(
      (['experiment', 'all'] as const).map((scope) => actionsQuery(filter, scope).execute(audit.read)),
    );
    const rows = [...(own?.rows ?? []), ...(all?.rows ?? [])]
      .sort((one, other) => other.at - one.at || other.seq - one.seq)
      .slice(0, filter.limit);
    return Promise.all(
      rows.map(async (row) =>
        toEntry(row, stopsPumps(row) ? await readStoppedPumps(reads, filter.experimentUid, row.at) : []),
      ),
    );
  };
