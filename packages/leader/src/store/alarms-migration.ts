import type { Generated } from 'kysely';

/** A time in milliseconds since 1970 UTC. */
type Moment = number;

interface AlarmsTable {
  id: Generated<number>;
  alarm_id: string;
  rule: string;
  severity: string;
  reactor_unit: string | null;
  experiment_id: number | null;
  detail: string | null;
  standing: string;
  message: string;
  since: Moment;
  occurrences: Generated<number>;
  returned_at: Generated<Moment | null>;
  acknowledged_at: Generated<Moment | null>;
  acknowledged_by: Generated<string | null>;
  comment: Generated<string | null>;
  shelved_until: Generated<Moment | null>;
  cleared_at: Generated<Moment | null>;
}

interface AlarmHistoryTable {
  id: Generated<number>;
  alarm: number;
  at: Moment;
  what: string;
  author: string | null;
  comment: string | null;
  message: string | null;
  until: Moment | null;
}

/** The overrides for all (no unit, no experiment), for one unit or for one experiment. */
interface AlarmRuleOverridesTable {
  id: Generated<number>;
  rule: string;
  reactor_unit: string | null;
  experiment_id: number | null;
  severity: string | null;
  is_enabled: number | null;
  /** JSON object of the overridden parameters. */
  parameters: string;
  changed_at: Moment;
  changed_by: string | null;
}

interface AlarmRuleVersionsTable {
  rule: string;
  version: number;
}

interface AlarmChannelsTable {
  channel_id: string;
  kind: string;
  name: string;
  is_enabled: number;
  min_severity: string;
  remind_hours: number;
  tells_return: number;
  /** JSON array of addresses. */
  recipients: string;
  url: string | null;
  /** Never returned, never logged. */
  secret: string | null;
  method: string | null;
  every_minutes: number | null;
  created_at: Moment;
  changed_at: Moment;
  last_success_at: Generated<Moment | null>;
  last_error: Generated<string | null>;
  last_error_at: Generated<Moment | null>;
}

interface AlarmDeliveriesTable {
  id: Generated<number>;
  channel_id: string;
  alarm_id: string | null;
  notice: string;
  /** JSON of the notice, as decided. */
  payload: string;
  created_at: Moment;
  /** The time of the next attempt; null once it has ended. */
  next_at: Moment | null;
  attempts: Generated<number>;
  state: Generated<string>;
  ended_at: Generated<Moment | null>;
  error: Generated<string | null>;
}

export interface AlarmTables {
  alarms: AlarmsTable;
  alarm_history: AlarmHistoryTable;
  alarm_rule_overrides: AlarmRuleOverridesTable;
  alarm_rule_versions: AlarmRuleVersionsTable;
  alarm_channels: AlarmChannelsTable;
  alarm_deliveries: AlarmDeliveriesTable;
}

/** Alarms with their history, overrides of rules, channels and waiting notices. */
export const alarmsMigration = {
  set: 'alarms',
  id: 1,
  name: 'alarms, rules, channels',
  up: `
    create table alarms (
      id integer primary key autoincrement,
      alarm_id text not null unique,
      rule text not null,
      severity text not null check (severity in ('warning', 'error', 'critical')),
      reactor_unit text,
      experiment_id integer references experiments (id) on delete cascade,
      detail text,
      standing text not null check (standing in ('unacknowledged', 'acknowledged', 'returned', 'cleared')),
      message text not null,
      since integer not null,
      occurrences integer not null default 1,
      returned_at integer,
      acknowledged_at integer,
      acknowledged_by text,
      comment text,
      shelved_until integer,
      cleared_at integer,
      check ((cleared_at is null) = (standing <> 'cleared' or shelved_until is not null))
    ) strict;
    create unique index alarms_open on alarms
      (rule, coalesce(reactor_unit, ''), coalesce(experiment_id, 0), coalesce(detail, '')) where cleared_at is null;
    create index alarms_by_time on alarms (since desc, id desc);
    create index alarms_by_experiment on alarms (experiment_id) where experiment_id is not null;

    create table alarm_history (
      id integer primary key autoincrement,
      alarm integer not null references alarms (id) on delete cascade,
      at integer not null,
      what text not null,
      author text,
      comment text,
      message text,
      until integer
    ) strict;
    create index alarm_history_by_alarm on alarm_history (alarm, id);

    create table alarm_rule_overrides (
      id integer primary key autoincrement,
      rule text not null,
      reactor_unit text,
      experiment_id integer references experiments (id) on delete cascade,
      severity text,
      is_enabled integer check (is_enabled in (0, 1)),
      parameters text not null,
      changed_at integer not null,
      changed_by text
    ) strict;
    create unique index alarm_rule_overrides_by_place on alarm_rule_overrides
      (rule, coalesce(reactor_unit, ''), coalesce(experiment_id, 0));
    create index alarm_rule_overrides_by_experiment on alarm_rule_overrides (experiment_id)
      where experiment_id is not null;

    create table alarm_rule_versions (
      rule text primary key,
      version integer not null
    ) strict, without rowid;

    create table alarm_channels (
      channel_id text primary key,
      kind text not null check (kind in ('email', 'webhook', 'ping')),
      name text not null unique,
      is_enabled integer not null check (is_enabled in (0, 1)),
      min_severity text not null,
      remind_hours real not null,
      tells_return integer not null check (tells_return in (0, 1)),
      recipients text not null,
      url text,
      secret text,
      method text,
      every_minutes real,
      created_at integer not null,
      changed_at integer not null,
      last_success_at integer,
      last_error text,
      last_error_at integer
    ) strict;

    create table alarm_deliveries (
      id integer primary key autoincrement,
      channel_id text not null references alarm_channels (channel_id) on delete cascade,
      alarm_id text,
      notice text not null,
      payload text not null,
      created_at integer not null,
      next_at integer,
      attempts integer not null default 0,
      state text not null default 'waiting' check (state in ('waiting', 'delivered', 'given_up')),
      ended_at integer,
      error text,
      check ((state = 'waiting') = (next_at is not null))
    ) strict;
    create index alarm_deliveries_waiting on alarm_deliveries (channel_id, next_at) where state = 'waiting';
    create index alarm_deliveries_by_channel on alarm_deliveries (channel_id, id desc);
    create index alarm_deliveries_by_alarm on alarm_deliveries (alarm_id, channel_id, created_at);
  `,
} as const;

/** The index of the flags of optical signals, which the leader reads at its start. */
export const signalEventsMigration = {
  set: 'alarms',
  id: 2,
  name: 'way to the flags of signals',
  up: `
    create index signal_events on events
      (reactor_unit, json_extract(data, '$.channel'), json_extract(data, '$.flag'), at) where name = 'signal_quality';
  `,
} as const;
