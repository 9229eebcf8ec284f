import { describe, expect, it } from 'vitest';
import { validateUnitName } from './unit-name.ts';

describe('checkUnitName', () => {
  it.each(['rx01', 'Lead_2', 'a-b', 'x'.repeat(63), 'ALL', '-'])('accepts %s', (name) => {
    expect(validateUnitName(name)).toEqual({ ok: true, name });
  });

  it.each([
    '',
    ' rx01',
    'rx01\n',
    'rx.01',
    'rx 01',
    'rüx',
    'x'.repeat(64),
    'all',
    'profiles_stopped',
    'assignments',
    'discover',
    'setup',
    'localhost',
    'LocalHost',
    '$broadcast',
    '$experiment',
    '192.168.4.21',
    '::1',
    'fe80::1%eth0',
    '[::1]',
  ])('refuses %j', (name) => {
    expect(validateUnitName(name).ok).toBe(false);
  });

  it('reports that an address is not a name', () => {
    expect(validateUnitName('192.168.4.21')).toEqual({ ok: false, cause: expect.stringContaining('IP address') });
  });
});
