import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents, type ServerEvent } from './live-events.ts';

async function eventsOf(text: string, cuts: readonly number[] = []): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  async function* chunks() {
    for (const [index, edge] of edges.slice(1).entries()) yield bytes.slice(edges[index], edge);
  }
  return Array.fromAsync(readEvents(chunks()));
}

const stream =
  'retry: 2000\n\nid: a-1\nevent: log\ndata: {"message":"23 °C"}\n\n: keep-alive\ndata: one\ndata: two\n\nid: a-2\n';

describe('server-sent events', () => {
  it('are read with id, name and data; comments and what has no data are left out', async () => {
    expect(await eventsOf(stream)).toEqual([
      { id: 'a-1', event: 'log', data: '{"message":"23 °C"}' },
      { id: undefined, event: 'message', data: 'one\ntwo' },
    ]);
  });

  it('are the same however the bytes are cut', async () => {
    const whole = await eventsOf(stream);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(200)), async (cuts) => {
        expect(await eventsOf(stream, cuts)).toEqual(whole);
      }),
    );
  });
});
