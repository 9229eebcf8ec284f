import type { IniView } from '@lcs/platform';
import type { ExportRetention } from './exports-folder.ts';
import type { ExportLimits } from './resource-limits.ts';

const megabyte = 1_048_576;
const dayMs = 86_400_000;
const minuteMs = 60_000;

/** A number of section `[export]`; what is no number counts as not there. */
function numberOf(view: IniView, key: string, fallback: number): number {
  const text = view.export?.[key]?.trim() ?? '';
  const value = Number(text);
  return text === '' || !Number.isFinite(value) || value < 0 ? fallback : value;
}

export const exportLimits = (view: IniView): ExportLimits => ({
  minFreeDiskBytes: numberOf(view, 'min_free_disk_mb', 64) * megabyte,
  minFreeMemoryBytes: numberOf(view, 'min_free_memory_mb', 120) * megabyte,
  maxWalBytes: numberOf(view, 'max_wal_mb', 512) * megabyte,
  maxQueryRows: numberOf(view, 'max_query_rows', 10_000_000),
  maxQueryMs: numberOf(view, 'max_query_minutes', 30) * minuteMs,
});

export const exportRetention = (view: IniView): ExportRetention => ({
  keepMs: numberOf(view, 'keep_days', 7) * dayMs,
  keepBytes: numberOf(view, 'keep_mb', 2_048) * megabyte,
});
