import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer, readTask } from './outcome.ts';

const answer = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });
const errorBody = {
  error: 'Not found.',
  cause: 'No such job.',
  remediation: 'Look again.',
  status: 404,
  code: 'x',
  field: 'job',
};

describe('readAnswer', () => {
  it.each([
    [true, true],
    [null, null],
    [[1], [1]],
    [{ status: 'success' }, {}],
    [{ status: 'success', clock_time: 'c' }, { clock_time: 'c' }],
    [{ status: 'ok' }, { status: 'ok' }],
  ])('takes %j as the value %j', async (body, value) => {
    expect(await readAnswer('rx01', answer(200, body))).toEqual({ ok: true, unit: 'rx01', value });
  });

  it('follows the task a unit names', async () => {
    expect(await readAnswer('rx01', answer(202, { result_url_path: '/unit_api/task_results/1' }))).toEqual({
      resultPath: '/unit_api/task_results/1',
    });
  });

  it('distinguishes a refusal by a lock from success', async () => {
    const body = { status: 'running', lock: 'power-lock', retry_after_s: 1, remediation: 'Wait.' };
    expect(await readAnswer('rx01', answer(202, body))).toEqual({
      ok: false,
      unit: 'rx01',
      error: { kind: 'locked', message: 'rx01 is busy (power-lock).', remediation: 'Wait.' },
      status_code: 202,
      retryable: true,
    });
  });

  it("passes on a unit's own error, and no other text", async () => {
    expect(await readAnswer('rx01', answer(404, errorBody))).toEqual({
      ok: false,
      unit: 'rx01',
      error: {
        kind: 'http_error',
        message: 'Not found.',
        cause: 'No such job.',
        remediation: 'Look again.',
        code: 'x',
        field: 'job',
      },
      status_code: 404,
      retryable: false,
    });
    expect(await readAnswer('rx01', answer(500, errorBody))).toMatchObject({
      error: { kind: 'http_error', message: 'rx01 answered with HTTP 500.' },
      status_code: 500,
      retryable: true,
    });
    expect(await readAnswer('rx01', { status: 502, text: '<html>' })).toMatchObject({
      error: { kind: 'http_error' },
      retryable: true,
    });
  });

  it('reports an answer that is not JSON', async () => {
    expect(await readAnswer('rx01', { status: 200, text: '<html>' })).toMatchObject({
      error: { kind: 'decode_error' },
      status_code: 200,
      retryable: false,
    });
  });

  it('takes a redirect for no answer of a unit', async () => {
    expect(await readAnswer('rx01', { status: 302, text: '' })).toMatchObject({ error: { kind: 'invalid_response' } });
  });

  it('has an outcome for whatever a unit sends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 599 }),
        fc.oneof(fc.string(), fc.json()),
        fc.boolean(),
        async (status, text, polling) => {
          const read = await (polling ? readTask('rx01', { status, text }) : readAnswer('rx01', { status, text }));
          if (read && 'ok' in read) expect(read.unit).toBe('rx01');
          if (status >= 400) expect(read).toMatchObject({ ok: false, status_code: status, retryable: status >= 500 });
        },
      ),
    );
  });
});

describe('readTask', () => {
  it('waits while the task has not ended', async () => {
    expect(await readTask('rx01', answer(202, { status: 'running' }))).toBeUndefined();
  });

  it("takes the task's result for the value", async () => {
    expect(await readTask('rx01', answer(200, { status: 'succeeded', result: { status: 'success' } }))).toEqual({
      ok: true,
      unit: 'rx01',
      value: {},
    });
  });

  it('reports how a task failed', async () => {
    const body = { status: 'failed', error: 'Stuck.', cause: 'Stirrer.', remediation: 'Look.', code: 'x' };
    expect(await readTask('rx01', answer(200, body))).toEqual({
      ok: false,
      unit: 'rx01',
      error: { kind: 'task_failed', message: 'Stuck.', cause: 'Stirrer.', remediation: 'Look.', code: 'x' },
      status_code: 200,
      retryable: false,
    });
  });

  it.each([
    [200, { status: 'failed', error: 5 }, 'task_failed', false],
    [200, { status: 'odd' }, 'task_incomplete', true],
    [200, 7, 'task_incomplete', true],
    [404, errorBody, 'http_error', false],
  ])('a poll answered %i %j is %s', async (status, body, kind, retryable) => {
    expect(await readTask('rx01', answer(status, body))).toMatchObject({
      error: { kind },
      status_code: status,
      retryable,
    });
  });
});
