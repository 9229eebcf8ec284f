import { type Actuation, isObject } from '@lcs/contract';
import { actuationSentence } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { StoredActuation } from './actuation-store.ts';

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function readingOf(value: unknown): Actuation['reading'] {
  if (!isObject(value)) return null;
  const [source, measured, at] = [text(value.source), number(value.value), number(value.at)];
  if (source === null || measured === null) return null;
  return { source, channel: text(value.channel), value: measured, timestamp: at === null ? null : toTimestamp(at) };
}

/** The resource as the API returns it; a value that the unit did not report, or reported in another form, is null. */
export function toActuation({ at, reactor_unit, experiment, source, data }: StoredActuation): Actuation {
  const parsed: unknown = JSON.parse(data);
  const fields = isObject(parsed) ? parsed : {};
  const actuation: Omit<Actuation, 'why'> = {
    timestamp: toTimestamp(at),
    reactor_unit,
    experiment,
    output: text(fields.output) ?? '',
    to: number(fields.to),
    from: number(fields.from),
    unit: text(fields.unit) ?? '',
    ...(fields.outside_vial === true && { outside_vial: true as const }),
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
