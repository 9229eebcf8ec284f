import { dayMs, minuteMs } from '@lcs/contract';
import { exportSettings, settingOrDefault } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import type { ExportRetention } from './exports-folder.ts';
import type { ExportLimits } from './resource-limits.ts';

const megabyte = 1_048_576;

export const exportLimits = (view: IniView): ExportLimits => ({
  minFreeDiskBytes: settingOrDefault(view, exportSettings.minFreeDisk) * megabyte,
  minFreeMemoryBytes: settingOrDefault(view, exportSettings.minFreeMemory) * megabyte,
  maxWalBytes: settingOrDefault(view, exportSettings.maxWalSize) * megabyte,
  maxQueryRows: settingOrDefault(view, exportSettings.maxQueryRows),
  maxQueryMs: settingOrDefault(view, exportSettings.maxQueryTime) * minuteMs,
});

export const exportRetention = (view: IniView): ExportRetention => ({
  keepMs: settingOrDefault(view, exportSettings.keepTime) * dayMs,
  keepBytes: settingOrDefault(view, exportSettings.keepSize) * megabyte,
});
