import { ApiError, type ExportRequest } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { parseTimestamp } from '../core/timestamps.ts';
import type { ExportInput } from './export-tasks.ts';

function bound(field: 'start_time' | 'end_time', text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const moment = parseTimestamp(text);
  if (moment === undefined) throw new ApiError('export_time_invalid', { field, text });
  return moment;
}

/**
 * The input of an export task, from a request.
 * @throws ApiError export_time_invalid, export_window_reversed
 */
export function exportInput(
  request: Omit<ExportRequest, 'experiment'>,
  experiments: readonly string[] | null,
): ExportInput {
  const from = bound('start_time', request.start_time);
  const to = bound('end_time', request.end_time);
  if (from !== null && to !== null && from > to) {
    throw new ApiError('export_window_reversed', { start: toTimestamp(from), end: toTimestamp(to) });
  }
  return {
    datasets: request.datasets,
    experiments,
    by_unit: request.partition_by_unit,
    by_experiment: request.partition_by_experiment,
    from,
    to,
    format: request.format ?? 'csv',
  };
}
