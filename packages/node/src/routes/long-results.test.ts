import { type Json, PreparedJson } from '@lcs/contract';
import type { TaskKind } from '@lcs/platform';
import { reaching, world } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import { taskEvent, taskPoll } from './task-answer.ts';

const long = { text: 'x'.repeat(100_000), end: [1, null] };

const kinds: readonly TaskKind[] = [
  { kind: 'prepared', run: async () => PreparedJson.of<Json>(long) },
  { kind: 'value', run: async () => long },
];

describe('a long result of a task', () => {
  it.each(kinds)('is stored and answered as the text that it is, and is in no event: $kind', async (kind) => {
    await using tasks = await world([kind]);
    const { runner } = tasks;
    const { taskId } = await runner.submit(kind, null);
    await reaching(runner, taskId, 'succeeded');
    const record = await runner.get(taskId);
    if (record?.status !== 'succeeded') throw new Error('The task has not succeeded.');
    expect(record.result).toBeInstanceOf(PreparedJson);
    expect(taskEvent(record)).toBeUndefined();
    const { status, body } = taskPoll(record);
    expect(status).toBe(200);
    if (!(body instanceof PreparedJson)) throw new Error('The answer is no text.');
    expect(JSON.parse(body.text)).toMatchObject({ task_id: taskId, status: 'succeeded', result: long });
  });
});
