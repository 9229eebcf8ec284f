import { isObject } from '@lcs/contract';
import { builtInAutomations } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import { jobName, lowered } from './job-names.ts';
import { type FoundEntry, type TimelineFilter, withoutFacts } from './timeline-source.ts';

interface SettingsRow {
  readonly id: number;
  readonly at: number;
  readonly reactor_unit: string;
  /** JSON. */
  readonly data: string;
  readonly until: number | null;
}

/**
 * Intervals of constant settings. An interval is recorded at its beginning, and again with its end; it ends with the next one of its kind
 * at the latest, and with the last record before its unit was off.
 */
export const settingsQuery = (filter: TimelineFilter): RawBuilder<SettingsRow> => {
  const { experimentUid, unit, since, until, before, limit } = filter;
  return sql<SettingsRow>`
    with page as materialized (
      select v.id, v.at, v.reactor_unit, v.data, json_extract(v.data, '$.kind') as kind
      from events v indexed by events_by_experiment
      where v.experiment_uid = ${experimentUid} and v.name = 'automation_settings'
        and json_extract(v.data, '$.ended_at') is null
        ${unit === undefined ? sql`` : sql`and v.reactor_unit = ${unit}`}
        ${since === undefined ? sql`` : sql`and v.at >= ${since}`}
        ${until === undefined ? sql`` : sql`and v.at < ${until}`}
        ${before === undefined ? sql`` : sql`and (v.at, v.id) < (${before.at}, ${before.id})`}
      order by v.at desc, v.id desc limit ${limit})
    select p.id, p.at, p.reactor_unit, p.data, (
      select min(x) from (
        select coalesce(cast(json_extract(data, '$.ended_at') as integer), at) as x from (
          select n.data, n.at from events n indexed by events_by_experiment
          where n.experiment_uid = ${experimentUid} and n.name = 'automation_settings' and n.reactor_unit = p.reactor_unit
            and n.at >= p.at and n.id > p.id and json_extract(n.data, '$.kind') = p.kind
          order by n.at, n.id limit 1)
        union all
        select max(p.at, cast(json_extract(data, '$.last_record_at') as integer)) from (
          select s.data from events s indexed by events_by_experiment
          where s.experiment_uid = '$experiment' and s.name = 'node_started' and s.reactor_unit = p.reactor_unit
            and s.at > p.at
          order by s.at limit 1))
    ) as until
    from page p order by p.at desc, p.id desc`;
};

const words = (key: string): string => key.replaceAll('_', ' ');

/** The settings in words: `Turbidostat: target biomass 0.5, exchange volume 1 mL`. */
function settingsText(kind: string, name: string, settings: Readonly<Record<string, unknown>>): string {
  const known = Object.entries(builtInAutomations).find(([type]) => type === kind)?.[1] ?? [];
  const automation = known.find(({ automation_name }) => automation_name === name);
  const values = Object.entries(settings).flatMap(([key, value]) => {
    if (value === null || typeof value === 'object') return [];
    const field = automation?.fields.find((one) => one.key === key);
    const label = field?.label ?? words(key);
    const unit = field?.unit ?? '';
    const shown = typeof value === 'number' ? String(Number(value.toPrecision(4))) : words(String(value));
    return [`${label.charAt(0).toLowerCase()}${label.slice(1)} ${shown}${unit === '' ? '' : ` ${unit}`}`];
  });
  const title = automation?.display_name ?? words(name);
  // Without settings the title alone, such as "Record only", does not say of what.
  return values.length === 0 ? `${jobName(`${kind}_automation`)}: ${lowered(title)}` : `${title}: ${values.join(', ')}`;
}

function toEntry({ id, at, reactor_unit, data, until }: SettingsRow): FoundEntry {
  const parsed: unknown = JSON.parse(data);
  const fields = isObject(parsed) ? parsed : {};
  const kind = String(fields.kind ?? '');
  const name = String(fields.automation_name ?? '');
  const settings = isObject(fields.settings) ? { ...fields.settings } : {};
  return {
    id,
    at,
    entry: {
      ...withoutFacts,
      entry_id: `setting-${id}`,
      kind: 'setting',
      at: toTimestamp(at),
      until: until === null ? null : toTimestamp(until),
      reactor_unit,
      text: settingsText(kind, name, settings),
      automation: { kind, name, settings },
    },
  };
}

/** Settings of automations, each for as long as it was effective. Who changed them is not recorded. */
export async function readSettings(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  if (filter.by !== undefined) return [];
  return (await settingsQuery(filter).execute(reads)).rows.map(toEntry);
}
