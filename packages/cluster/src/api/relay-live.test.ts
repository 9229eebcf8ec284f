import { once } from 'node:events';
import { Agent, createServer, type RequestListener } from 'node:http';
import { LiveRelay } from '@lcs/leader';
import { afterEach, describe, expect, it } from 'vitest';
import { relayLive } from './relay-live.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

const origin = { address: '127.0.0.1', isSecure: false, isUnixSocket: false, peerKey: undefined };
const position = `: position ${JSON.stringify({ after: 'run1-1', permissions: ['experiments.read'] })}\n\n`;
const beginning = 'retry: 2000\n\n';
const event = 'id: run1-2\nevent: experiment_deleted\ndata: {"experiment":"a"}\n\n';

/** The text that a client receives until the end of its stream, while the active process behaves like this. */
async function streamed(active: RequestListener, silentMs?: number) {
  const relay = new LiveRelay();
  const agent = new Agent();
  stops.push(() => agent.destroy());
  const url = await serving(active);
  const relayed = relayLive({ active: () => ({ url, agent }), relay, ...(silentMs !== undefined && { silentMs }) });
  const page = await serving((request, response) => relayed(request, response, origin, () => response.destroy()));
  const answer = await fetch(`${page}/api/live`);
  return { relay, answer };
}

const broadcast = JSON.stringify({
  run: 'run1',
  events: [{ sequence: 2, name: 'experiment_deleted', topic: 'experiment_deleted/a', text: event }],
});

describe('live events of an api process', () => {
  it('begin as the active process says, go on by the broadcast, and end with its answer', async () => {
    const asked = Promise.withResolvers<{ readonly end: () => void; readonly how: unknown }>();
    const { relay, answer } = await streamed((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(beginning + position);
      asked.resolve({ end: () => response.end(), how: request.headers['lcs-live'] });
    });
    const { end, how } = await asked.promise;
    expect(how).toBe('relayed');
    relay.receive(broadcast);
    const texts: string[] = [];
    for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      texts.push(text);
      if (texts.join('') === beginning + event) end();
    }
    expect(texts.join('')).toBe(beginning + event);
  });

  it('end when the active process is silent: it may have ended the session', async () => {
    const { answer } = await streamed((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(beginning + position);
    }, 50);
    expect(await answer.text()).toBe(beginning);
  });

  it('come from the active process when it broadcasts nothing', async () => {
    const { answer } = await streamed((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(beginning + event);
    });
    expect(await answer.text()).toBe(beginning + event);
  });

  it('are refused as the active process refuses them', async () => {
    const { answer } = await streamed((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' }).end('{}');
    });
    expect([answer.status, await answer.text()]).toEqual([403, '{}']);
  });
});
