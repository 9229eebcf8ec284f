import { expect, it } from 'vitest';
import { configuredLimits } from './configured-limits.ts';
import { defaultLimits } from './outbox-options.ts';

const limits = (outbox: Readonly<Record<string, string>>) => configuredLimits({ outbox });

it('takes the size of the buffer and its days from the configuration, within their ranges', () => {
  const { maxBytes, keepMs } = defaultLimits;
  expect(configuredLimits({})).toEqual({ maxBytes, keepMs });
  expect(limits({ max_mb: '512', keep_days: '14' })).toEqual({ maxBytes: 512 * 1024 ** 2, keepMs: 14 * 86_400_000 });
  expect(limits({ max_mb: '0', keep_days: '1000' })).toEqual({ maxBytes: 0.03 * 1024 ** 2, keepMs: 90 * 86_400_000 });
  expect(limits({ max_mb: 'much', keep_days: '' })).toEqual({ maxBytes, keepMs });
});
