import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Statuses whose responses have no body (Fetch standard, "null body status"). */
const withoutBody: readonly (number | undefined)[] = [101, 204, 205, 304];

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}

/**
 * `fetch` over the connections of an agent: to a node whose key is known, or through a Unix socket. Redirects are not followed, and
 * compressed answers are not requested.
 */
export const agentFetch =
  (agent: Agent): typeof globalThis.fetch =>
  async (input, init) => {
    const { url, method, headers, body, signal } = new Request(input, init);
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const outgoing = send(url, { method, headers: Object.fromEntries(headers), agent, signal });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
    });
    // A failure to send is reported by the request itself.
    if (body === null) outgoing.end();
    else pipeline(Readable.fromWeb(body), outgoing).catch(() => {});
    const response = await answered;
    const { statusCode: status = 0, statusMessage: statusText = '' } = response;
    const content = withoutBody.includes(status) ? null : Readable.toWeb(response);
    return new Response(content, { status, statusText, headers: headersOf(response) });
  };
