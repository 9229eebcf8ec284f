import { connect } from 'node:net';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNginx, type Nginx, startNginx } from './nginx.ts';

let leader: LeaderUnderTest;
let nginx: Nginx | undefined;
/** Requests that a route of the leader has answered. */
let answered = 0;

beforeAll(async () => {
  leader = await startLeader({
    configure: {
      onResponse: () => {
        answered += 1;
      },
    },
  });
  if (await hasNginx()) nginx = await startNginx(Number(new URL(leader.url).port));
});
afterAll(async () => {
  await nginx?.[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const created = '{"experiment":"smuggled"}';
const hidden = `POST /api/experiments HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${created.length}\r\n\r\n${created}`;
const post = (headers: string, body: string) =>
  `POST /api/experiments HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** Requests whose end two parsers may see at different places. Each hides a second request. */
const ambiguous: readonly (readonly [string, string])[] = [
  ['CL.TE', post(`Content-Length: ${5 + hidden.length}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${hidden}`)],
  ['TE.CL', post('Transfer-Encoding: chunked\r\nContent-Length: 4', chunk(hidden))],
  ['two lengths', post(`Content-Length: 2\r\nContent-Length: ${2 + hidden.length}`, `{}${hidden}`)],
  ['a list of lengths', post(`Content-Length: 2, ${2 + hidden.length}`, `{}${hidden}`)],
  ['a signed length', post('Content-Length: +2', `{}${hidden}`)],
  ['an unknown transfer encoding', post('Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`)],
  ['chunked, but not last', post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${hidden}`)],
  ['a space before the colon', post('Content-Length : 2', `{}${hidden}`)],
  ['a folded header', post('Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`)],
  ['a folded length', post('X-Other: a\r\n Content-Length: 2', hidden)],
  ['bare line feeds', post('X-Other: a\nContent-Length: 2', `{}${hidden}`).replace('HTTP/1.1\r\n', 'HTTP/1.1\n')],
  ['a line feed in a chunk extension', post('Transfer-Encoding: chunked', `2;\n{}\r\n0\r\n\r\n${hidden}`)],
  ['a chunk size that is no number', post('Transfer-Encoding: chunked', `0x2\r\n{}\r\n0\r\n\r\n${hidden}`)],
  ['a chunk longer than its size', post('Transfer-Encoding: chunked', `2\r\n{}${hidden}\r\n0\r\n\r\n`)],
];

/** Everything that comes back until the connection ends. */
function exchange(address: { readonly port: number } | { readonly path: string }, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(address);
    let text = '';
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
      // A proxy keeps its connection to the client: the first response is enough.
      if ('path' in address && text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
    socket.write(bytes);
  });
}

describe('a request that hides another one', () => {
  it.each(ambiguous)('is refused as a whole: %s', async (_, bytes) => {
    const answers = await exchange({ port: Number(new URL(leader.url).port) }, bytes);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(await leader.storedRows('experiments')).toEqual([]);
  });

  it('is never one request for nginx and two for the leader', async () => {
    if (nginx === undefined) return;
    for (const [name, bytes] of ambiguous) {
      const before = { nginx: await nginx.requests(), leader: answered };
      const answers = await exchange({ path: nginx.socket }, bytes);
      expect([name, answers.slice(0, 9)]).toEqual([name, 'HTTP/1.1 ']);
      // The next client's response is its own.
      const next = await exchange({ path: nginx.socket }, 'GET /api/experiments HTTP/1.1\r\nHost: localhost\r\n\r\n');
      expect([name, next.slice(0, 12), /\r\n\r\n\[/.test(next)]).toEqual([name, 'HTTP/1.1 200', true]);
      const seen = await nginx.requests();
      expect([name, answered - before.leader <= seen - before.nginx]).toEqual([name, true]);
    }
  });
});
