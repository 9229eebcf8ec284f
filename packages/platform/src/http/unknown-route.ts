import { ApiError } from '@lcs/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompiledPaths } from './compiled-route.ts';

/** A request that no declared route takes. */
export interface UnknownRequest {
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Something beside the declared routes: a page, a picture. */
export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * What to do when no route is found: answer something, throw an ApiError with a better explanation, or return undefined
 * for the usual `route_not_found`.
 */
export type NotFoundHook = (request: UnknownRequest) => FileAnswer | undefined | Promise<FileAnswer | undefined>;

/** The path of a request's URL, without the query: what may be logged. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

/** The same for finding what is declared: a proxy names the server too, and what follows a `#` is nobody's. */
export const requestedPath = (url: string): string =>
  pathOf(url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/i, '')).split('#', 1)[0] ?? '';

/** Refuses a method that a known path does not have, and says which it has. */
export function refuseMethod(method: string, allow: string, reply: FastifyReply): never {
  reply.header('allow', allow);
  throw new ApiError('method_not_allowed', { method, allow });
}

/** Answers what the router found nothing for: rare methods of known paths, files, and nothing at all. */
export async function answerUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  paths: CompiledPaths,
  hook: NotFoundHook | undefined,
): Promise<void> {
  const path = pathOf(request.url);
  const known = paths.find(requestedPath(request.url));
  if (known) refuseMethod(request.method, known.leaf.allow, reply);
  const answer = await hook?.({ method: request.method, path, headers: request.headers });
  if (answer === undefined) throw new ApiError('route_not_found', { path });
  const { body } = answer;
  reply.code(answer.status).headers(answer.headers);
  reply.send(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}
