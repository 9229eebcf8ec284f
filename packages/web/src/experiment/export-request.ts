import {
  type ExportEstimateQuery,
  type ExportFormat,
  type ExportRequest,
  hasShape,
  OldExportResult,
} from '@lcs/contract';
import { experimentWords } from '../words/experiment.ts';

/** The values of the form of an export. */
export interface ExportChoices {
  readonly datasets: readonly string[];
  readonly format: ExportFormat;
  readonly byUnit: boolean;
  /** The value of a date-time input: local time without a zone; empty for no limit. */
  readonly from: string;
  readonly to: string;
}

export const initialForm: ExportChoices = {
  datasets: ['reactor_unit_activity_data', 'logs'],
  format: 'csv',
  byUnit: false,
  from: '',
  to: '',
};

const instantOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());

/** Why the form cannot be sent, by the field that is wrong; undefined: it can. */
export function formFault(
  { datasets, from, to }: ExportChoices,
  nowMs: number,
): { readonly field: 'datasets' | 'from' | 'to'; readonly text: string } | undefined {
  if (datasets.length === 0) return { field: 'datasets', text: experimentWords.chooseAtLeastOneDataset };
  if (from !== '' && to !== '' && new Date(from) > new Date(to))
    return { field: 'to', text: experimentWords.endIsBeforeBeginning };
  // An empty end is now.
  if (from !== '' && new Date(from).getTime() > nowMs)
    return { field: 'from', text: experimentWords.beginningIsInFuture };
  return undefined;
}

export const exportRequest = (experiment: string, form: ExportChoices): ExportRequest => ({
  experiment,
  datasets: [...form.datasets],
  format: form.format,
  partition_by_experiment: true,
  partition_by_unit: form.byUnit,
  start_time: instantOf(form.from),
  end_time: instantOf(form.to),
});

/** The query of the estimate of its size. */
export function estimateQuery(experiment: string, { datasets, format, from, to }: ExportChoices): ExportEstimateQuery {
  const [start_time, end_time] = [instantOf(from), instantOf(to)];
  return {
    experiment,
    format,
    datasets: datasets.join(','),
    ...(start_time !== null && { start_time }),
    ...(end_time !== null && { end_time }),
  };
}

/** The URL of a finished export; undefined if its result has no file. The page needs no more than these fields of it. */
export function exportUrl(result: unknown): string | undefined {
  return hasShape(OldExportResult, result) ? `/exports/${encodeURIComponent(result.filename)}` : undefined;
}
