import { expect, it } from 'vitest';
import { auditQueryOf, noFilters } from './audit-filters.ts';

it('requests only what was entered, with times in UTC', () => {
  expect(auditQueryOf(noFilters)).toEqual({});
  expect(auditQueryOf({ ...noFilters, caller: ' ada ', kind: 'refusal', since: '2026-05-02', until: 'x' })).toEqual({
    caller: 'ada',
    kind: 'refusal',
    since: '2026-05-02T00:00:00.000Z',
  });
});
