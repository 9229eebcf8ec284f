import { nodeApi, unitApi } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import type { PassedOnRequest } from '../core/leader-context.ts';
import { askUnit } from './ask-unit.ts';

const health = { status: 'ok', reactor_unit: 'rx01', utc_time: '2026-05-02T09:14:03.120Z' };

function unitAnswering(status: number, body: object) {
  const requests: PassedOnRequest[] = [];
  const passOn = async (_: string, request: PassedOnRequest) => {
    requests.push(request);
    return { status, body: JSON.parse(JSON.stringify(body)) };
  };
  return { fleet: { passOn }, requests };
}

describe('askUnit', () => {
  it('makes the request from the declaration of the route', async () => {
    const { fleet, requests } = unitAnswering(200, []);
    const call = { params: { experiment: 'a/b' } };
    expect(await askUnit(fleet, 'rx01', unitApi.listRunningJobsOfExperiment, call, { limitMs: 5 })).toEqual([]);
    expect(requests).toEqual([{ method: 'GET', path: '/unit_api/jobs/running/experiments/a%2Fb', limitMs: 5 }]);
  });

  it('returns an answer of the declared shape, also with further fields', async () => {
    const body = { ...health, uptime: 5 };
    const { fleet } = unitAnswering(200, body);
    expect(await askUnit(fleet, 'rx01', nodeApi.getHealth, {}, { limitMs: 5 })).toEqual(body);
  });

  it.each([
    [200, { ...health, utc_time: 5 }],
    [202, health],
  ])('has no answer when the unit answers %i %j', async (status, body) => {
    const { fleet } = unitAnswering(status, body);
    await expect(askUnit(fleet, 'rx01', nodeApi.getHealth, {}, { limitMs: 5 })).rejects.toMatchObject({
      code: 'unit_gave_no_answer',
    });
  });
});
