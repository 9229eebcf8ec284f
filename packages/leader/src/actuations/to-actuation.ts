import { type Actuation, isObject } from '@lcs/contract';
import { actuationSentence } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type LedgerOfRun, pumpedBy, pumpOutputs, type RequestedRun } from '../series/pumped-runs.ts';
import type { StoredActuation } from './actuation-store.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function readingOf(value: unknown): Actuation['reading'] {
  if (!isObject(value)) return null;
  const [source, measured, at] = [text(value.source), number(value.value), number(value.at)];
  if (source === null || measured === null) return null;
  return { source, channel: text(value.channel), value: measured, timestamp: at === null ? null : toTimestamp(at) };
}

function fieldsOf(data: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(data);
  return isObject(parsed) ? parsed : {};
}

/** The run of a pump that an actuation began; null: it drove something else, ended a run, or was refused. */
export function runOf({ at, data }: Pick<StoredActuation, 'at' | 'data'>): RequestedRun | null {
  const { output, to, from, unit, refused } = fieldsOf(data);
  const pump = pumpOutputs.find((each) => each === output);
  if (pump === undefined || number(from) !== null || text(refused) !== null) return null;
  return { atMs: at, output: pump, requested: { amount: number(to), unit: text(unit) ?? '' } };
}

function pumpedOf(row: StoredActuation, ledger: LedgerOfRun | null, nowMs: number): Actuation['pumped'] {
  const run = runOf(row);
  const pumped = run && pumpedBy(run, ledger, nowMs);
  return pumped === null ? undefined : { volume_ml: pumped.volumeMl, state: pumped.state };
}

/** The resource as the API returns it; a value that the unit did not report, or reported in another form, is null. */
export function toActuation(row: StoredActuation, ledger: LedgerOfRun | null, nowMs: number): Actuation {
  const { at, reactor_unit, experiment, source, data } = row;
  const fields = fieldsOf(data);
  const pumped = pumpedOf(row, ledger, nowMs);
  const actuation: Omit<Actuation, 'why'> = {
    timestamp: toTimestamp(at),
    reactor_unit,
    experiment,
    output: text(fields.output) ?? '',
    to: number(fields.to),
    from: number(fields.from),
    unit: text(fields.unit) ?? '',
    ...(fields.outside_vial === true && { outside_vial: true as const }),
    ...(pumped !== undefined && { pumped }),
    refused: text(fields.refused),
    source_of_event: source,
    job_name: text(fields.job_name),
    job_id: number(fields.job_id),
    job_source: text(fields.job_source),
    started_by: text(fields.started_by),
    rule: text(fields.rule),
    reading: readingOf(fields.reading),
    settings: isObject(fields.settings) ? { ...fields.settings } : null,
    calibration: text(fields.calibration),
  };
  return { ...actuation, why: actuationSentence(actuation) };
}
