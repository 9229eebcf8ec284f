import {
  type Alarm,
  type AlarmAction,
  type AlarmHistoryEntry,
  type AlarmQuery,
  type AlarmSeverity,
  alarmSeverities,
} from '@lcs/contract';
import {
  type AlarmLifecycle,
  type AlarmStatus,
  alarmState,
  alarmTransitions,
  builtInAlarmRules,
  isActive,
} from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { sql } from 'kysely';
import { queryTimestamp } from '../core/timestamps.ts';
import type { LeaderReader } from '../queries/experiments.ts';

/** The subject of an alarm; all null: the cluster. */
export interface AlarmSubject {
  readonly unit: string | null;
  readonly experiment: string | null;
  readonly detail: string | null;
}

/** One condition: each has at most one open alarm. */
export const conditionKey = (rule: string, { unit, experiment, detail }: AlarmSubject): string =>
  JSON.stringify([rule, unit, experiment, detail]);

/** A stored alarm. Times are milliseconds since 1970. */
export interface StoredAlarm {
  readonly id: number;
  readonly alarmId: string;
  readonly rule: string;
  readonly severity: AlarmSeverity;
  readonly subject: AlarmSubject;
  readonly experimentId: number | null;
  readonly life: AlarmLifecycle;
  readonly message: string;
  readonly since: number;
  readonly occurrences: number;
  readonly returnedAt: number | null;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: string | null;
  readonly comment: string | null;
  readonly clearedAt: number | null;
}

/** A check of the table allows severities only. */
export const severityOf = (text: string): AlarmSeverity => alarmSeverities.find((known) => known === text) ?? 'error';
const isStatus = (text: string): text is AlarmStatus => text in alarmTransitions;

/** Alarms with the names of their experiments, without those of experiments that are being deleted. */
const alarms = (database: LeaderReader) =>
  database
    .selectFrom('alarms as a')
    .leftJoin('experiments as e', 'e.id', 'a.experiment_id')
    .where((where) => where.or([where('a.experiment_id', 'is', null), where('e.deleting_at', 'is', null)]))
    .selectAll('a')
    .select('e.name as experiment');

type AlarmRow = Awaited<ReturnType<ReturnType<typeof alarms>['executeTakeFirstOrThrow']>>;

const toStored = (row: AlarmRow): StoredAlarm => ({
  id: row.id,
  alarmId: row.alarm_id,
  rule: row.rule,
  severity: severityOf(row.severity),
  subject: { unit: row.reactor_unit, experiment: row.experiment, detail: row.detail },
  experimentId: row.experiment_id,
  life: { status: isStatus(row.standing) ? row.standing : 'unacknowledged', shelvedUntilMs: row.shelved_until },
  message: row.message,
  since: row.since,
  occurrences: row.occurrences,
  returnedAt: row.returned_at,
  acknowledgedAt: row.acknowledged_at,
  acknowledgedBy: row.acknowledged_by,
  comment: row.comment,
  clearedAt: row.cleared_at,
});

/** All alarms that are not cleared. */
export const openAlarms = async (database: LeaderReader): Promise<readonly StoredAlarm[]> =>
  (await alarms(database).where('a.cleared_at', 'is', null).orderBy('a.id').execute()).map(toStored);

/** The alarm with this ID. */
export async function alarmById(database: LeaderReader, alarmId: string): Promise<StoredAlarm | undefined> {
  const row = await alarms(database).where('a.alarm_id', '=', alarmId).executeTakeFirst();
  return row && toStored(row);
}

const titles = new Map(builtInAlarmRules.map(({ rule, title }) => [rule, title]));

/** A page of alarms, newest first. @throws ApiError invalid_query */
export async function listedAlarms(database: LeaderReader, query: AlarmQuery): Promise<readonly StoredAlarm[]> {
  const { state = 'open', severity, unit, experiment, rule, skip = 0, limit = 100 } = query;
  let found = alarms(database).orderBy('a.since', 'desc').orderBy('a.id', 'desc').limit(limit).offset(skip);
  if (state === 'open') found = found.where('a.cleared_at', 'is', null);
  else if (state === 'cleared') found = found.where('a.cleared_at', 'is not', null);
  else if (state === 'shelved') found = found.where('a.shelved_until', 'is not', null);
  else if (state !== 'all') found = found.where('a.standing', '=', state).where('a.shelved_until', 'is', null);
  if (severity !== undefined) found = found.where('a.severity', '=', severity);
  if (unit !== undefined) found = found.where('a.reactor_unit', '=', unit);
  if (experiment !== undefined) found = found.where('e.name', '=', experiment);
  if (rule !== undefined) found = found.where('a.rule', '=', rule);
  if (query.since !== undefined) found = found.where('a.since', '>=', queryTimestamp('since', query.since));
  if (query.until !== undefined) found = found.where('a.since', '<', queryTimestamp('until', query.until));
  const text = query.search?.trim() ?? '';
  if (text !== '') {
    const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
    const rules = [...titles].flatMap(([name, title]) =>
      title.toLowerCase().includes(text.toLowerCase()) ? [name] : [],
    );
    found = found.where((where) =>
      where.or([
        ...(['a.message', 'a.comment', 'a.reactor_unit', 'e.name'] as const).map(
          (column) => sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`,
        ),
        ...(rules.length > 0 ? [where('a.rule', 'in', rules)] : []),
      ]),
    );
  }
  return (await found.execute()).map(toStored);
}

const historyLimit = 500;
const actionNames: readonly string[] = [
  ...['raised', 'raised_again', 'returned', 'acknowledged', 'shelved', 'unshelved', 'shelf_ended', 'cleared'],
];
const isAction = (text: string): text is AlarmAction => actionNames.includes(text);

/** The history of an alarm, oldest first. */
export async function historyOf(database: LeaderReader, alarm: number): Promise<AlarmHistoryEntry[]> {
  const rows = await database
    .selectFrom('alarm_history')
    .where('alarm', '=', alarm)
    .orderBy('id', 'desc')
    .limit(historyLimit)
    .selectAll()
    .execute();
  return rows
    .reverse()
    .flatMap(({ at, what, author, comment, message, until }) =>
      isAction(what)
        ? [{ timestamp: toTimestamp(at), what, by: author, comment, message, until: momentOf(until) }]
        : [],
    );
}

const momentOf = (at: number | null): string | null => (at === null ? null : toTimestamp(at));

/** The alarm as the API returns it. */
export const toAlarm = (stored: StoredAlarm): Alarm => ({
  alarm_id: stored.alarmId,
  rule: stored.rule,
  title: titles.get(stored.rule) ?? stored.rule,
  severity: stored.severity,
  state: alarmState(stored.life),
  is_active: isActive(stored.life),
  reactor_unit: stored.subject.unit,
  experiment: stored.subject.experiment,
  detail: stored.subject.detail,
  message: stored.message,
  since: toTimestamp(stored.since),
  occurrences: stored.occurrences,
  returned_at: momentOf(stored.returnedAt),
  acknowledged_at: momentOf(stored.acknowledgedAt),
  acknowledged_by: stored.acknowledgedBy,
  comment: stored.comment,
  shelved_until: momentOf(stored.life.shelvedUntilMs),
  cleared_at: momentOf(stored.clearedAt),
});
