import { type ExportFormat, type ExportRequest, hasShape, OldExportResult } from '@lcs/contract';

/** What the form of an export holds. */
export interface ExportForm {
  readonly datasets: readonly string[];
  readonly format: ExportFormat;
  readonly byUnit: boolean;
  /** As an input of date and time has it: in the zone of this device, without saying so; empty for no limit. */
  readonly from: string;
  readonly to: string;
}

export const firstForm: ExportForm = {
  datasets: ['reactor_unit_activity_data', 'logs'],
  format: 'csv',
  byUnit: false,
  from: '',
  to: '',
};

const instantOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());

/** What keeps the form from being sent; undefined when nothing does. */
export function exportFault({ datasets, from, to }: ExportForm): string | undefined {
  if (datasets.length === 0) return 'Choose at least one dataset.';
  if (from !== '' && to !== '' && new Date(from) > new Date(to)) return 'The end lies before the beginning.';
  return undefined;
}

export const exportRequest = (experiment: string, form: ExportForm): ExportRequest => ({
  experiment,
  datasets: [...form.datasets],
  format: form.format,
  partition_by_experiment: true,
  partition_by_unit: form.byUnit,
  start_time: instantOf(form.from),
  end_time: instantOf(form.to),
});

/** Where the file of a finished export is; undefined when its result names none. */
export function exportAddress(result: unknown): string | undefined {
  return hasShape(OldExportResult, result) ? `/exports/${encodeURIComponent(result.filename)}` : undefined;
}
