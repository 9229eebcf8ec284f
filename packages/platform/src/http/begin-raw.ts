import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes an answer out of the library's hands and writes its status and headers; the body follows by hand. */
export function beginRaw(reply: FastifyReply, headers: OutgoingHttpHeaders = {}): ServerResponse {
  const response = reply.raw;
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) response.setHeader(name, value);
  }
  return response.writeHead(reply.statusCode, headers);
}
