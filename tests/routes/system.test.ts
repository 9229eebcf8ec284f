import { createHash } from 'node:crypto';
import SwaggerParser from '@apidevtools/swagger-parser';
import { addSlowUnit, type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

describe('the identity of every node', () => {
  it('has a health, a name, a time and a version', async () => {
    expect((await leader.api.call('getHealth')).expect(200)).toEqual({
      status: 'ok',
      reactor_unit: 'lead',
      utc_time: new Date(leader.clock.now()).toISOString(),
    });
    const app = (await leader.api.call('getAppVersion')).expect(200);
    expect(app).toEqual({ version: expect.stringMatching(/^\d{2}\.\d{1,2}\.\d+(-[0-9A-Za-z.]+)?$/) });
    expect((await leader.api.call('getUiVersion')).expect(200)).toEqual(app);
  });

  it.each(['getLeaderOpenApi', 'getUnitOpenApi'] as const)('%s is a valid OpenAPI 3.1 document', async (operation) => {
    const answer = await leader.api.call(operation);
    expect(answer.expect(200)).toMatchObject({ openapi: '3.1.0' });
    await expect(SwaggerParser.validate(JSON.parse(answer.text))).resolves.toBeDefined();
  });

  it('has a reference to read, which loads nothing from elsewhere', async () => {
    const answer = await leader.api.call('browseReference');
    const page = String(answer.expect(200));
    expect(page).toContain('/api/experiments/{experiment}');
    expect(page).not.toMatch(/(src|href)\s*=\s*["']?(https?:)?\/\//);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    for (const [, element = '', content = ''] of page.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(content).digest('base64');
      expect(policy).toContain(`${element}-src 'sha256-${hash}'`);
    }
  });
});

describe('tasks', () => {
  const task = (task_id: string) => ({ params: { task_id } });

  it('are 404 when never issued, for any ID', async () => {
    for (const id of ['5b0f7c1e-6a55-4c0e-9e5e-0d6f3f1d2a10', 'x', '$broadcast', '%']) {
      (await leader.api.call('getTaskResult', task(id))).expect(404, 'task_not_found');
      (await leader.api.call('cancelTask', task(id))).expect(404, 'task_not_found');
    }
  });

  it('are polled with 202 until they end, and may be read again and again', async () => {
    await using slow = await addSlowUnit(leader);
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    const accepted = await leader.client.deleteExperiment({ params: { experiment: 'a' } });
    expect((await leader.api.call('getTaskResult', task(accepted.task_id))).expect(202)).toMatchObject({
      task_id: accepted.task_id,
      result_url_path: accepted.result_url_path,
      status: expect.stringMatching(/^(pending|running)$/),
    });
    slow.answer();
    await leader.finished(accepted);
    const ended = (await leader.api.call('getTaskResult', task(accepted.task_id))).expect(200);
    expect((await leader.api.call('getTaskResult', task(accepted.task_id))).expect(200)).toEqual(ended);
    (await leader.api.call('cancelTask', task(accepted.task_id))).expect(409, 'task_finished');
  });

  it('end as failed when cancelled, with the reason', async () => {
    await using slow = await addSlowUnit(leader);
    const accepted = await leader.client.unassignAllWorkers();
    (await leader.api.call('cancelTask', task(accepted.task_id))).expect(202);
    slow.answer();
    expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
  });

  it('are forgotten after a day', async () => {
    const accepted = await leader.client.unassignAllWorkers();
    await leader.finished(accepted);
    await leader.clock.advance(23 * 3_600_000);
    (await leader.api.call('getTaskResult', task(accepted.task_id))).expect(200);
    await leader.clock.advance(2 * 3_600_000);
    (await leader.api.call('getTaskResult', task(accepted.task_id))).expect(404, 'task_not_found');
  });
});
