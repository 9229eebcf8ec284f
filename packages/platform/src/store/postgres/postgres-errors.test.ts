import { describe, expect, it } from 'vitest';
import { connectionLost, toPostgresError } from './postgres-errors.ts';

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('the loss of a connection', () => {
  it.each([
    ['timeout expired', undefined, 'timeout expired'],
    ['connect ECONNREFUSED 10.1.2.3:5432', 'ECONNREFUSED', 'ECONNREFUSED'],
    ['terminating connection due to administrator command', '57P01', '57P01'],
  ])('has its reason, and no address: %s', (message, code, reason) => {
    const { code: stable, message: text } = toPostgresError(failure(message, code));
    expect(stable).toBe('connection_lost');
    expect(text).toContain(`(${reason})`);
    expect(text).not.toContain('10.1.2.3');
  });

  it('may have none', () => expect(connectionLost().message).not.toContain('('));
});
