import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { sentChunks } from './compressed-body.ts';
import { StreamedResponse } from './streamed-response.ts';

/**
 * Answers a request that was passed on with events, as a declared route does: compressed for a client that takes it, and no faster than it reads.
 * Rejects when the iterator throws.
 */
export async function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  events: AsyncIterable<string>,
): Promise<void> {
  const sent = sentChunks({ method: request.method ?? '', request, headers }, events, 'events');
  const late = Promise.withResolvers<never>();
  const stream = new StreamedResponse(sent.chunks, response, late.reject);
  response.writeHead(200, { ...headers, ...sent.headers }).flushHeaders();
  const all = (async () => stream.send(await stream.next()))();
  await Promise.race([all, late.promise]);
}
