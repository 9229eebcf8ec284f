import { describe, expect, it } from 'vitest';
import { displayNameOf, freeName, roleOfClaims } from './oidc-person.ts';

const admission = {
  groupsClaim: 'groups',
  groups: { administrator: ['lab-admins'], operator: ['lab', 'guests-that-run'], viewer: ['guests'] },
  allowedDomains: ['bio.example'],
  domainRole: 'viewer',
} as const;

describe('the role of a person', () => {
  it.each([
    [{ groups: ['guests', 'lab-admins'] }, 'administrator'],
    [{ groups: ['lab'] }, 'operator'],
    [{ groups: 'guests' }, 'viewer'],
    [{ email: 'eve@Bio.example', email_verified: true }, 'viewer'],
    [{ email: 'eve@bio.example', email_verified: false }, undefined],
    [{ email: 'eve@bio.example' }, undefined],
    [{ email: 'eve@bio.example.evil.example', email_verified: true }, undefined],
    [{ email: 'bio.example', groups: ['LAB'] }, undefined],
    [{ groups: ['other'] }, undefined],
    [{}, undefined],
  ] as const)('of %j is %s', (claims, role) => {
    expect(roleOfClaims(claims, admission)?.role).toBe(role);
  });
});

describe('the name of a new person', () => {
  const taken =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name.toLowerCase());

  it('is that of the account, and never that of somebody else', () => {
    expect(freeName({ preferred_username: 'ada' }, taken())).toBe('ada');
    expect(freeName({ preferred_username: 'Ada' }, taken('ada'))).toBe('Ada-2');
    expect(freeName({ email: 'ada@bio.example' }, taken('ada', 'ada-2'))).toBe('ada@bio.example');
    expect(freeName({ preferred_username: 'Ada L. öß' }, taken())).toBe('Ada.L');
    expect(freeName({ preferred_username: '…' }, taken('person'))).toBe('person-2');
    expect(displayNameOf({ sub: '17', name: ' Ada Lovelace ' })).toBe('Ada Lovelace');
    expect(displayNameOf({ sub: '17' })).toBe('17');
  });
});
