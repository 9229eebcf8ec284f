import { ApiError } from '@lcs/contract';
import type { Reply } from './reply.ts';

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

/** Answers what no declared path takes: with a file, or that there is nothing. */
export async function answerUnknown(reply: Reply, hook: NotFoundHook | undefined): Promise<void> {
  const path = pathOf(reply.url);
  const answer = await hook?.({ method: reply.method, path, headers: reply.request.headers });
  if (answer === undefined) throw new ApiError('route_not_found', { path });
  const { status, headers, body } = answer;
  reply.status = status;
  Object.assign(reply.headers, headers);
  reply.send(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}
