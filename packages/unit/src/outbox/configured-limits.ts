import type { IniView } from '@lcs/platform';
import type { OutboxLimits } from './outbox-options.ts';

const mebibyte = 1024 * 1024;
const dayMs = 24 * 3_600_000;

/** So little is for tests: a unit that measures fast fills it within half a minute. */
const bufferMebibytes = { least: 0.03, most: 4_096 };
const keepDays = { least: 1, most: 90 };

function within(text: string | undefined, { least, most }: typeof keepDays): number | undefined {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : undefined;
}

/** What `[outbox]` says of the buffer; what makes no sense says nothing, what is out of range is brought into it. */
export function configuredLimits({ outbox }: IniView): Partial<Pick<OutboxLimits, 'maxBytes' | 'keepMs'>> {
  const megabytes = within(outbox?.max_mb, bufferMebibytes);
  const days = within(outbox?.keep_days, keepDays);
  return {
    ...(megabytes !== undefined && { maxBytes: megabytes * mebibyte }),
    ...(days !== undefined && { keepMs: days * dayMs }),
  };
}
