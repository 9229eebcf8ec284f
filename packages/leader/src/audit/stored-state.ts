import type { leaderApi } from '@lcs/contract';
import { type ObservedState as StoredState, toTimestamp } from '@lcs/platform';
import { configVersions, ownConfigNames, sharedConfigName, versionOf } from '../config/config-history.ts';
import { readAssignments, workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey, experimentNamed, type LeaderReader } from '../queries/experiments.ts';
import { assignmentOf, workerNamed } from '../queries/workers.ts';
import { auditedBody } from './audit-entry.ts';
import { type AuditedRequest, fieldIn, targetOf } from './audit-target.ts';

type ReadState = (database: LeaderReader, request: AuditedRequest) => Promise<StoredState>;

const momentOf = (at: number | null | undefined): string | null => (typeof at === 'number' ? toTimestamp(at) : null);

const experimentOf: ReadState = async (database, request) => {
  const found = await experimentNamed(database, targetOf(request).experiment ?? '').executeTakeFirst();
  if (found === undefined) return undefined;
  const workers = await workersOfExperiment(database, found.name).execute();
  return {
    experiment: found.name,
    created_at: momentOf(found.created_at),
    description: found.description,
    tags: JSON.parse(found.tags),
    ended_at: momentOf(found.ended_at),
    archived_at: momentOf(found.archived_at),
    workers: workers.map(({ reactor_unit }) => reactor_unit),
  };
};

const labelsOf: ReadState = async (database, request) => {
  const experiment = await experimentKey(database, targetOf(request).experiment ?? '').executeTakeFirst();
  if (experiment === undefined) return undefined;
  const rows = await database
    .selectFrom('unit_labels')
    .where('experiment_id', '=', experiment.id)
    .select(['reactor_unit', 'label'])
    .orderBy('reactor_unit')
    .execute();
  return Object.fromEntries(rows.map(({ reactor_unit, label }) => [reactor_unit, label]));
};

const groupsOf: ReadState = async (database, request) => {
  const experiment = await experimentKey(database, targetOf(request).experiment ?? '').executeTakeFirst();
  if (experiment === undefined) return undefined;
  const newest = await database
    .selectFrom('replicate_group_versions')
    .where('experiment_id', '=', experiment.id)
    .orderBy('id', 'desc')
    .select('groups')
    .executeTakeFirst();
  return newest && { groups: JSON.parse(newest.groups) };
};

const photoOf: ReadState = async (database, request) => {
  const id = Number(fieldIn(request, 'note_id'));
  if (!Number.isSafeInteger(id)) return undefined;
  return database
    .selectFrom('note_photos')
    .where('note_id', '=', id)
    .select(['content_type', 'bytes', 'sha256'])
    .executeTakeFirst();
};

const noteOf: ReadState = async (database, request) => {
  const id = Number(fieldIn(request, 'note_id'));
  if (!Number.isSafeInteger(id)) return undefined;
  const note = await database
    .selectFrom('experiment_notes')
    .where('id', '=', id)
    .select(['at', 'kind', 'text', 'author', 'reactor_unit', 'volume_ml'])
    .executeTakeFirst();
  return note && { ...note, at: momentOf(note.at) };
};

const workerOf: ReadState = async (database, request) => {
  const unit = targetOf(request).unit ?? fieldIn(request, 'name') ?? '';
  const worker = await workerNamed(database, unit).executeTakeFirst();
  if (worker === undefined) return undefined;
  const assignment = await assignmentOf(database, unit).executeTakeFirst();
  return { ...worker, added_at: momentOf(worker.added_at), experiment: assignment?.name ?? null };
};

const allAssignments: ReadState = async (database) =>
  Object.fromEntries(
    (await readAssignments(database)).map(({ reactor_unit, experiment }) => [reactor_unit, experiment]),
  );

/** The newest saved version of a configuration file. */
const configOf =
  (fileName: (request: AuditedRequest) => string): ReadState =>
  async (database, request) => {
    const newest = await configVersions(database, fileName(request)).limit(1).executeTakeFirst();
    return newest && { filename: newest.filename, saved_at: momentOf(newest.at), version: versionOf(newest.data) };
  };

/** `config_<unit>.ini` is a name of older clients for the own file of a unit. */
function namedConfig(fileName: string): string {
  const unit = /^config_(.+)\.ini$/.exec(fileName)?.[1];
  return unit === undefined ? fileName : ownConfigNames(unit)[0];
}

/** Without passwords: whether one was changed is in the body. */
const personOf: ReadState = async (database, request) => {
  const id = fieldIn(request, 'person_id');
  const name = fieldIn(request, 'name');
  const people = database.selectFrom('people').select(['id', 'name', 'display_name', 'role', 'disabled_at']);
  const person = await (id === null
    ? people.where('name', '=', name ?? '')
    : people.where('id', '=', id)
  ).executeTakeFirst();
  return person && { ...person, disabled_at: momentOf(person.disabled_at) };
};

const tokenOf: ReadState = async (database, request) => {
  const token = await database
    .selectFrom('tokens')
    .innerJoin('people', 'people.id', 'tokens.person_id')
    .where('tokens.id', '=', fieldIn(request, 'token_id') ?? '')
    .select(['tokens.name', 'tokens.permissions', 'tokens.expires_at', 'people.name as made_by'])
    .executeTakeFirst();
  return token && { ...token, permissions: JSON.parse(token.permissions), expires_at: momentOf(token.expires_at) };
};

const sessionOf: ReadState = async (database, request) => {
  const session = await database
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .where('sessions.id', '=', fieldIn(request, 'session_id') ?? '')
    .select(['people.name as person', 'sessions.created_at', 'sessions.address'])
    .executeTakeFirst();
  return session && { ...session, created_at: momentOf(session.created_at) };
};

/** The copies at the leader; undefined while it has none of this unit. */
const activeCalibrationOf: ReadState = async (database, request) => {
  const rows = await database
    .selectFrom('calibrations')
    .where('reactor_unit', '=', targetOf(request).unit ?? '')
    .where('device', '=', fieldIn(request, 'device') ?? '')
    .select(['name', 'is_current'])
    .orderBy('name')
    .execute();
  if (rows.length === 0) return undefined;
  return {
    active: rows.find(({ is_current }) => is_current === 1)?.name ?? null,
    calibrations: rows.map(({ name }) => name),
  };
};

const alarmOf: ReadState = async (database, request) => {
  const alarm = await database
    .selectFrom('alarms')
    .where('alarm_id', '=', fieldIn(request, 'alarm_id') ?? '')
    .select(['rule', 'reactor_unit', 'standing', 'acknowledged_by', 'comment', 'shelved_until'])
    .executeTakeFirst();
  return alarm && { ...alarm, shelved_until: momentOf(alarm.shelved_until) };
};

/** The changes of people to the defaults of a rule, by the place for which they hold. */
const alarmRuleOf: ReadState = async (database, request) => {
  const rows = await database
    .selectFrom('alarm_rule_overrides')
    .leftJoin('experiments', 'experiments.id', 'alarm_rule_overrides.experiment_id')
    .where('rule', '=', fieldIn(request, 'rule') ?? '')
    .select(['reactor_unit', 'experiments.name as experiment', 'severity', 'is_enabled', 'parameters'])
    .execute();
  return Object.fromEntries(
    rows.map(({ reactor_unit, experiment, severity, is_enabled, parameters }) => [
      reactor_unit ?? experiment ?? 'all',
      { severity, is_enabled, parameters: JSON.parse(parameters) },
    ]),
  );
};

/** Without address and secret. */
const alarmChannelOf: ReadState = async (database, request) => {
  const id = fieldIn(request, 'channel_id');
  const channels = database
    .selectFrom('alarm_channels')
    .select(['kind', 'name', 'is_enabled', 'min_severity', 'remind_hours', 'recipients', 'every_minutes']);
  const channel = await (id === null
    ? channels.where('name', '=', fieldIn(request, 'name') ?? '')
    : channels.where('channel_id', '=', id)
  ).executeTakeFirst();
  return channel;
};

const readers = {
  createExperiment: experimentOf,
  updateExperiment: experimentOf,
  deleteExperiment: experimentOf,
  assignWorker: experimentOf,
  unassignWorker: experimentOf,
  unassignExperimentWorkers: experimentOf,
  unassignAllWorkers: allAssignments,
  putUnitLabel: labelsOf,
  patchUnitLabel: labelsOf,
  replaceReplicateGroups: groupsOf,
  updateNote: noteOf,
  deleteNote: noteOf,
  putNotePhoto: photoOf,
  deleteNotePhoto: photoOf,
  registerWorker: workerOf,
  setUpWorker: workerOf,
  removeWorker: workerOf,
  setWorkerActivation: workerOf,
  setWorkerModel: workerOf,
  saveSharedConfig: configOf(() => sharedConfigName),
  saveSpecificConfig: configOf((request) => ownConfigNames(targetOf(request).unit ?? '')[0]),
  saveConfigFile: configOf((request) => namedConfig(fieldIn(request, 'filename') ?? '')),
  createPerson: personOf,
  updatePerson: personOf,
  deletePerson: personOf,
  revokeToken: tokenOf,
  endSession: sessionOf,
  createCalibration: activeCalibrationOf,
  deleteCalibration: activeCalibrationOf,
  setActiveCalibration: activeCalibrationOf,
  clearActiveCalibration: activeCalibrationOf,
  acknowledgeAlarm: alarmOf,
  shelveAlarm: alarmOf,
  unshelveAlarm: alarmOf,
  updateAlarmRule: alarmRuleOf,
  resetAlarmRule: alarmRuleOf,
  createAlarmChannel: alarmChannelOf,
  updateAlarmChannel: alarmChannelOf,
  deleteAlarmChannel: alarmChannelOf,
} satisfies { readonly [Operation in keyof typeof leaderApi]?: ReadState };

const readerOf: ReadonlyMap<string, ReadState> = new Map(Object.entries(readers));

/** Whether the leader's store has a state of the subject of this operation. */
export const hasStoredState = (operation: string): boolean => readerOf.has(operation);

/** The state of the subject of a request in the leader's store; never contains secrets. */
export const readStoredState = async (database: LeaderReader, request: AuditedRequest): Promise<StoredState> =>
  readerOf.get(request.operation)?.(database, request);

/** Whether two values of a state are the same, as JSON. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields of which the values differ, as the audit stores them; null: there is no such state. */
export function changedFields(
  before: StoredState,
  after: StoredState,
): { readonly before: string | null; readonly after: string | null } {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changed = [...names].filter((name) => !isSame(fieldOf(before, name), fieldOf(after, name)));
  const part = (state: StoredState): string | null =>
    state === undefined
      ? null
      : auditedBody(
          Object.fromEntries(changed.filter((name) => Object.hasOwn(state, name)).map((name) => [name, state[name]])),
        );
  return { before: part(before), after: part(after) };
}

const fieldOf = (state: StoredState, name: string): unknown =>
  state !== undefined && Object.hasOwn(state, name) ? state[name] : undefined;
