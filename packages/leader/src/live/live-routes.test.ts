import { localCaller, StreamBody } from '@lcs/contract';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { LiveHub } from './live-hub.ts';
import { liveHandlers } from './live-routes.ts';

describe('GET /api/live', () => {
  it('continues after the event in Last-Event-ID', async () => {
    const hub = new LiveHub({
      wire: new VirtualClock(),
      log: memoryLog(),
      run: 'run1',
      snapshot: () => Promise.reject(new Error('not needed')),
    });
    hub.publish('experiment_deleted', 'A', { experiment: 'A' });
    hub.publish('experiment_deleted', 'B', { experiment: 'B' });
    const caller = new AbortController();
    const answer = await liveHandlers(hub, (caller) => caller).followLive({
      params: {},
      query: {},
      body: undefined,
      caller: localCaller,
      requestId: 'r1',
      signal: caller.signal,
      headers: { 'last-event-id': 'run1-1' },
    });
    expect(answer).toMatchObject({ status: 200, headers: { 'x-accel-buffering': 'no' } });
    if (!(answer.body instanceof StreamBody)) throw new Error('The answer is no stream.');
    const read: unknown[] = [];
    for await (const chunk of answer.body.chunks) {
      read.push(chunk);
      if (read.length === 2) caller.abort();
    }
    expect(read).toEqual(['retry: 2000\n\n', 'id: run1-2\nevent: experiment_deleted\ndata: {"experiment":"B"}\n\n']);
  });
});
