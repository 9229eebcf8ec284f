import { describe, expect, it } from 'vitest';
import { isOwnMachine, joinCommand } from './join-command.ts';

describe('the command with which a unit joins', () => {
  it('has the address of the leader, the code, and the name if there is one', () => {
    const origin = 'https://lab-pc:4999';
    expect(joinCommand({ origin, code: 'ABCDEFGH', unit: null })).toBe(
      'lcs unit --leader https://lab-pc:4999 --code ABCDEFGH',
    );
    expect(joinCommand({ origin, code: 'ABCDEFGH', unit: 'rx07' })).toBe(
      'lcs unit --name rx07 --leader https://lab-pc:4999 --code ABCDEFGH',
    );
  });

  it('has another address when this one is of the own machine only', () => {
    expect(['localhost', '127.0.0.1', '[::1]'].map(isOwnMachine)).toEqual([true, true, true]);
    expect(['lab-pc', '192.168.1.5', '127.example.org'].map(isOwnMachine)).toEqual([false, false, false]);
  });
});
