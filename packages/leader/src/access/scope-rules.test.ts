import { allPermissions, rolePermissions } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { type Occupancy, type Protection, type Scope, type ScopedCaller, scopeRefusal } from './scope-rules.ts';

const operator: ScopedCaller = { personId: 'olga', permissions: rolePermissions.operator };
const administrator: ScopedCaller = { personId: 'ada', permissions: allPermissions };
const member: ScopedCaller = { ...operator, personId: 'mia' };
const owner: ScopedCaller = { ...operator, personId: 'otto' };

const protections = new Map<string, Protection>(
  [
    { experiment: 'open', isProtected: false, ownerId: 'otto', memberIds: new Set<string>() },
    { experiment: 'closed', isProtected: true, ownerId: 'otto', memberIds: new Set(['mia']) },
    { experiment: 'orphan', isProtected: true, ownerId: null, memberIds: new Set<string>() },
  ].map((protection) => [protection.experiment, protection]),
);
const assignments = new Map([
  ['rx1', 'open'],
  ['rx2', 'closed'],
]);
const occupancy: Occupancy = {
  protectionOf: (experiment) => protections.get(experiment),
  experimentOf: (unit) => assignments.get(unit),
  assignedUnits: assignments.keys().toArray(),
};

const codeFor = (caller: ScopedCaller, scope: Omit<Scope, 'isActing'>, isActing = true): string | undefined =>
  scopeRefusal(caller, { ...scope, isActing }, occupancy)?.code;

describe('the protection of an experiment', () => {
  it.each<[Omit<Scope, 'isActing'>, string | undefined]>([
    [{ experiment: 'open' }, undefined],
    [{ experiment: 'closed' }, 'not_a_member'],
    [{ experiment: 'none' }, undefined],
    [{ unit: 'rx1' }, undefined],
    [{ unit: 'rx2' }, 'not_a_member'],
    [{ unit: 'free' }, undefined],
    [{ unit: 'rx2', experiment: 'open' }, 'not_a_member'],
    [{ unit: '$broadcast', experiment: 'open' }, undefined],
    [{ unit: '$broadcast', experiment: 'closed' }, 'not_a_member'],
    [{ unit: '$broadcast' }, 'not_a_member'],
    [{ unit: '$broadcast', experiment: '$experiment' }, 'not_a_member'],
    [{ unit: 'rx2', experiment: '$experiment' }, 'not_a_member'],
    [{}, undefined],
  ])('applies to others who act on %j', (scope, code) => {
    expect(codeFor(operator, scope)).toBe(code);
    for (const allowed of [owner, member, administrator]) expect(codeFor(allowed, scope)).toBeUndefined();
    expect(codeFor(operator, scope, false)).toBeUndefined();
  });

  it('admits only administrators where nobody is owner, and nobody without an account', () => {
    const nobody = { ...operator, personId: '' };
    for (const refused of [operator, owner, nobody])
      expect(codeFor(refused, { experiment: 'orphan' })).toBe('not_a_member');
    expect(codeFor(administrator, { experiment: 'orphan' })).toBeUndefined();
  });
});

describe('the limits of a token', () => {
  const limited = (experiments?: readonly string[], units?: readonly string[]): ScopedCaller => ({
    ...administrator,
    limits: { experiments: experiments && new Set(experiments), units: units && new Set(units) },
  });

  it.each<[ScopedCaller, Omit<Scope, 'isActing'>, boolean]>([
    [limited(['open']), { experiment: 'open' }, true],
    [limited(['open']), { experiment: 'closed' }, false],
    [limited(['open']), { unit: 'rx1' }, true],
    [limited(['open']), { unit: 'rx2' }, false],
    [limited(['open']), { unit: 'free' }, false],
    [limited(['open']), { unit: 'rx1', experiment: 'open' }, true],
    [limited(['open']), { unit: '$broadcast', experiment: 'open' }, true],
    [limited(['open']), { unit: '$broadcast' }, false],
    [limited(['open']), { experiment: '$experiment' }, false],
    [limited(['open']), {}, false],
    [limited(undefined, ['rx1']), { unit: 'rx1' }, true],
    [limited(undefined, ['rx1']), { unit: 'rx1', experiment: 'closed' }, true],
    [limited(undefined, ['rx1']), { unit: 'rx2' }, false],
    [limited(undefined, ['rx1']), { experiment: 'open' }, false],
    [limited(undefined, ['rx1']), { unit: '$broadcast', experiment: 'open' }, false],
    [limited(['open'], ['rx1']), { unit: 'rx1', experiment: 'open' }, true],
    [limited(['open'], ['rx1']), { unit: 'rx2', experiment: 'open' }, false],
  ])('%# admit only what they name, for reading, acting and stopping: %j', (caller, scope, isAdmitted) => {
    const code = isAdmitted ? undefined : 'outside_token_limits';
    expect([codeFor(caller, scope), codeFor(caller, scope, false)]).toEqual([code, code]);
  });

  it('do not let a token act on a unit that works on another experiment', () => {
    expect(codeFor(limited(['open']), { unit: 'rx2', experiment: 'open' })).toBe('outside_token_limits');
    expect(codeFor(limited(['open']), { unit: 'free', experiment: 'open' })).toBeUndefined();
  });
});
