import { describe, expect, it } from 'vitest';
import { checkUnitName } from './unit-name.ts';

describe('checkUnitName', () => {
  it.each(['rx01', 'Lead_2', 'a-b', 'x'.repeat(63), 'ALL', '-'])('takes %s', (name) => {
    expect(checkUnitName(name)).toEqual({ ok: true, name });
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
    expect(checkUnitName(name).ok).toBe(false);
  });

  it('says of an address that it is one', () => {
    expect(checkUnitName('192.168.4.21')).toEqual({ ok: false, cause: 'The name is an IP address.' });
  });
});
