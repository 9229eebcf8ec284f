import { allPermissions, leaderApi, nodeApi, rolePermissions } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { gateOf } from './gate.ts';

const as = (role: keyof typeof rolePermissions) => ({ permissions: [...rolePermissions[role]] });
const routes = [...Object.values(leaderApi), ...Object.values(nodeApi)];

describe('the gate of a control', () => {
  it('is open for whoever has the permission of the route, and while the session is not known', () => {
    expect(gateOf(as('operator'), leaderApi.createExperiment)).toEqual({});
    expect(gateOf(undefined, leaderApi.createExperiment)).toEqual({});
    expect(routes.filter((route) => gateOf({ permissions: [...allPermissions] }, route).disabled)).toEqual([]);
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
});
