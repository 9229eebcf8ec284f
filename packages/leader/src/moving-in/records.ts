import { isObject } from '@lcs/contract/json';
import type { RecordsTable } from './source-tables.ts';

/** A row of a table of events or log entries, its cells in the order of the declaration of the table. */
export interface RecordCells {
  readonly at: number;
  readonly texts: readonly (string | null)[];
  readonly numbers: readonly (number | null)[];
}

export interface EventRow {
  readonly is: 'event';
  readonly name: string;
  readonly source: string | null;
  readonly message: string | null;
  readonly data: object;
}

export interface LogRow {
  readonly is: 'log';
  readonly level: string;
  readonly message: string;
  readonly source: string;
  readonly task: string;
}

export type ConvertedRow = EventRow | LogRow | { readonly is: 'refused'; readonly reason: string };

const refused = (reason: string): ConvertedRow => ({ is: 'refused', reason });

const levels: ReadonlySet<string> = new Set(['DEBUG', 'INFO', 'NOTICE', 'WARNING', 'ERROR', 'CRITICAL']);
const ledChannels: ReadonlySet<string> = new Set(['A', 'B', 'C', 'D']);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Settings of automations are JSON, or base64 of it. */
function settingsIn(text: string): object | undefined {
  const found = parsed(text) ?? parsed(Buffer.from(text, 'base64').toString('utf8'));
  return isObject(found) ? found : undefined;
}

/** Data of automation events are JSON, or empty. */
const dataIn = (text: string | null): unknown => (text === null || text === '' ? null : (parsed(text) ?? text));

type Convert = (cells: RecordCells, momentOf: (text: string) => number | undefined) => ConvertedRow;

const dose: Convert = ({ texts: [event, source = null], numbers: [volume] }) => {
  if (event == null) return refused('no event');
  if (volume == null) return refused('no number');
  return { is: 'event', name: 'dosing', source, message: null, data: { event, volume_change_ml: volume } };
};

const led: Convert = ({ texts: [channel, source = null], numbers: [intensity] }) => {
  if (channel == null || !ledChannels.has(channel)) return refused('unknown channel');
  if (intensity == null) return refused('no number');
  return { is: 'event', name: 'led_change', source, message: null, data: { channel, intensity } };
};

const automationEvent =
  (kind: string): Convert =>
  ({ texts: [name, message = null, data = null] }) => {
    if (name == null) return refused('no event');
    const about = { kind, event_name: name, data: dataIn(data) };
    return { is: 'event', name: 'automation', source: null, message, data: about };
  };

const automationSettings =
  (kind: string): Convert =>
  ({ at, texts: [ended = null, automation, text] }, momentOf) => {
    if (automation == null) return refused('no automation');
    const settings = text == null ? undefined : settingsIn(text);
    if (settings === undefined) return refused('settings are not JSON');
    const endedAt = ended === null || ended === '' ? null : momentOf(ended);
    if (endedAt === undefined) return refused('not a time of the past');
    const data = { kind, automation_name: automation, started_at: at, ended_at: endedAt, settings };
    return { is: 'event', name: 'automation_settings', source: null, message: null, data };
  };

const log: Convert = ({ texts: [message, source, level, task] }) => {
  if (message == null) return refused('no message');
  const known = level?.toUpperCase() ?? '';
  const named = { source: source ?? 'app', task: task ?? '' };
  return { is: 'log', level: levels.has(known) ? known : 'INFO', message, ...named };
};

/** The other system stores no end and no text of a run: it becomes an entry of the event log. */
const profileRun: Convert = ({ texts: [name] }) =>
  name == null
    ? refused('no profile')
    : { is: 'log', level: 'INFO', message: `Started profile ${name}.`, source: 'app', task: 'experiment_profile' };

const converters: Readonly<Record<string, Convert>> = {
  dosing_events: dose,
  led_change_events: led,
  logs: log,
  experiment_profile_runs: profileRun,
  ...Object.fromEntries(
    ['dosing', 'led', 'temperature'].flatMap((kind) => [
      [`${kind}_automation_events`, automationEvent(kind)],
      [`${kind}_automation_settings`, automationSettings(kind)],
    ]),
  ),
};

/** A row as this store keeps it, or why it does not come. */
export const convertRecord = (
  { table }: RecordsTable,
  cells: RecordCells,
  momentOf: (text: string) => number | undefined,
): ConvertedRow => converters[table]?.(cells, momentOf) ?? refused('no place');

/** The row as text: the same for a converted row and for the one that was read back. */
export const recordText = (unit: string, at: number, row: EventRow | LogRow): string =>
  row.is === 'event'
    ? JSON.stringify([unit, at, row.name, row.source, row.message, row.data])
    : JSON.stringify([unit, at, row.level, row.message, row.source, row.task]);
