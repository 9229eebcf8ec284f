import { allPermissions, leaderApi, nodeApi, rolePermissions } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { gateOf } from './gate.ts';

const as = (role: keyof typeof rolePermissions) => ({
  kind: 'person' as const,
  permissions: [...rolePermissions[role]],
});
const routes = [...Object.values(leaderApi), ...Object.values(nodeApi)];

describe('the gate of a control', () => {
  it('is open for whoever has the permission of the route, and while the session is not known', () => {
    expect(gateOf(as('operator'), leaderApi.createExperiment)).toEqual({});
    expect(gateOf(undefined, leaderApi.createExperiment)).toEqual({});
    expect(
      routes.filter((route) => gateOf({ kind: 'person', permissions: [...allPermissions] }, route).disabled),
    ).toEqual([]);
  });

  it('is closed for others and names the role that is needed', () => {
    expect(gateOf(as('viewer'), leaderApi.createExperiment)).toEqual({
      disabled: true,
      title: 'Needs the role operator',
    });
    expect(gateOf(as('operator'), leaderApi.deleteExperiment)).toEqual({
      disabled: true,
      title: 'Needs the role administrator',
    });
  });

  it('is closed on a protected experiment for others than its members, but not for stops, reading and other experiments', () => {
    const protection = { owner: 'ada', is_protected: true, may_act: false };
    const closed = routes.filter((route) => gateOf(as('operator'), route, protection).title?.startsWith('Protected'));
    expect(closed).toContain(leaderApi.runWorkerJob);
    expect(closed).toContain(leaderApi.assignWorker);
    expect(closed).not.toContain(leaderApi.stopWorkerJob);
    expect(closed).not.toContain(leaderApi.createExperiment);
    expect(closed.filter(({ permission }) => permission.endsWith('.read'))).toEqual([]);
    const admitted = { ...protection, may_act: true };
    expect(gateOf(as('operator'), leaderApi.runWorkerJob, admitted)).toEqual({});
    expect(gateOf(as('viewer'), leaderApi.runWorkerJob, protection).title).toBe('Needs the role operator');
  });

  it('is open at a shared tablet for what an operator may do: it asks for a PIN then', () => {
    const tablet = { ...as('viewer'), kind: 'tablet' } as const;
    const protection = { owner: 'ada', is_protected: true, may_act: false };
    expect(gateOf(tablet, leaderApi.runWorkerJob, protection)).toEqual({});
    expect(gateOf(tablet, leaderApi.createPerson).title).toBe('Needs the role administrator');
  });
});
