import { describe, expect, it } from 'vitest';
import { memoryLog } from '../log/memory-log.ts';
import { StoreError } from '../store/store-error.ts';
import { toApiError } from './error-response.ts';

const request = { id: 'r1', method: 'POST', path: '/api/experiments' };

describe('a failure for lack of space', () => {
  it.each([
    ['of the store', new StoreError('disk_full', 'database or disk is full')],
    ['of a file', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })],
  ])('%s has its own response, and is logged', (_, error) => {
    const log = memoryLog();
    expect(toApiError(error, request, log)).toMatchObject({ status: 507, code: 'storage_full' });
    expect(log.lines).toMatchObject([{ level: 'error', fields: { requestId: 'r1' } }]);
  });

  it('is not that of a change whose outcome is unknown, which is logged, too', () => {
    const log = memoryLog();
    const error = new StoreError('outcome_unknown', 'x');
    expect(toApiError(error, request, log)).toMatchObject({ status: 500, code: 'change_outcome_unknown' });
    expect(log.lines).toMatchObject([{ level: 'error', fields: { requestId: 'r1' } }]);
  });

  it('is not what other failures are', () => {
    const failures = [new StoreError('disk_failed', 'x'), Object.assign(new Error('x'), { code: 'EACCES' }), 'x'];
    for (const failure of failures) {
      expect(toApiError(failure, request, memoryLog())).toMatchObject({ status: 500, code: 'internal_error' });
    }
  });
});
