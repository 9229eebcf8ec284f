import { ApiError } from '@lcs/contract';
import type { Reply } from './reply.ts';

/** A request without a declared route. */
export interface UnknownRequest {
  readonly method: string;
  /** As sent: percent-encoded, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A response without a declared route: a page, an image. */
export interface FileResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Called when no route is found: returns a response, throws an ApiError with a better explanation, or returns undefined for the usual
 * `route_not_found`.
 */
export type NotFoundHook = (request: UnknownRequest) => FileResponse | undefined | Promise<FileResponse | undefined>;

/** The path of a request's URL, without the query, which must not be logged. */
export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

/** The path for routing: without the origin that a proxy adds and without the fragment. */
export const requestedPath = (url: string): string =>
  pathOf(url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/i, '')).split('#', 1)[0] ?? '';

/** Responds to a request without a declared path: with a file or with `route_not_found`. */
export async function respondToUnknownRoute(reply: Reply, hook: NotFoundHook | undefined): Promise<void> {
  const path = pathOf(reply.url);
  const answer = await hook?.({ method: reply.method, path, headers: reply.request.headers });
  if (answer === undefined) throw new ApiError('route_not_found', { path });
  const { status, headers, body } = answer;
  reply.status = status;
  Object.assign(reply.headers, headers);
  reply.send(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}
