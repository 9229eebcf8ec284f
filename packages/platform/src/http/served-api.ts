import type { Api, Handlers, IncomingUpload } from '@lcs/contract';

/** A request that has passed all checks of its route, as the shell sees it: the types of single routes are gone here. */
export interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: object;
  readonly body: unknown;
  readonly upload?: IncomingUpload | undefined;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly remoteAddress?: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a handler returned, without the types of its route. */
export interface HandlerAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A handler of any route. It is written as a method because methods compare their parameters in both directions: a
 * handler that wants its own parameters and body fits, and the shell hands it only what the route's checks let through.
 */
type AnyHandler = { handle(request: CheckedRequest): HandlerAnswer | Promise<HandlerAnswer> }['handle'];

export type { AnyHandler };

/** Hears of a request whose body was refused; the answer does not wait for it. */
export type BodyRefused = (params: CheckedRequest['params']) => void;

/** Declared routes with a handler for each. */
export interface ServedApi {
  readonly declaration: Api;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** By operation id. */
  readonly bodyRefused?: Readonly<Record<string, BodyRefused | undefined>>;
}

/** Joins a declaration and its handlers; does not compile when one is missing, too many or answers a wrong shape. */
export function serve<const Routes extends Api>(
  declaration: Routes,
  handlers: Handlers<Routes>,
  bodyRefused: { readonly [Operation in keyof Routes & string]?: BodyRefused } = {},
): ServedApi {
  return { declaration, handlers, bodyRefused };
}
