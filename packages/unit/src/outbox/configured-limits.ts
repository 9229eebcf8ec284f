import { dayMs } from '@lcs/contract';
import { outboxSettings, settingOrDefault } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import type { OutboxLimits } from './outbox-options.ts';

const mebibyte = 1024 * 1024;

/** The limits of the buffer in the configuration. */
export const configuredLimits = (config: IniView): Pick<OutboxLimits, 'maxBytes' | 'keepMs'> => ({
  maxBytes: settingOrDefault(config, outboxSettings.maxSize) * mebibyte,
  keepMs: settingOrDefault(config, outboxSettings.keepTime) * dayMs,
});
