import type { Api, Caller, Handlers, IncomingUpload, SenderConnection } from '@lcs/contract';

/** A request that has passed all checks of its route, without the types of that route. */
export interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: object;
  readonly body: unknown;
  readonly upload?: IncomingUpload | undefined;
  readonly caller: Caller;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly remoteAddress?: string;
  readonly isSecure?: boolean;
  readonly origin?: SenderConnection | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The result of a handler, without the types of its route. */
export interface HandlerResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A handler of any route. It is a method because methods compare their parameters bivariantly: a handler with its own types of parameters
 * and body is assignable, and the server passes only requests that passed the checks of the route.
 */
type AnyHandler = { handle(request: CheckedRequest): HandlerResponse | Promise<HandlerResponse> }['handle'];

export type { AnyHandler };

/** Called when a body was rejected; the response does not wait for it. */
export type OnInvalidBody = (params: CheckedRequest['params']) => void;

/** Declared routes with a handler for each. */
export interface ServedApi {
  readonly declaration: Api;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** By operation id. */
  readonly onInvalidBody?: Readonly<Record<string, OnInvalidBody | undefined>>;
}

/** Joins a declaration and its handlers. Does not compile when a handler is missing, undeclared or returns a wrong shape. */
export function serve<const Routes extends Api>(
  declaration: Routes,
  handlers: Handlers<Routes>,
  onInvalidBody: { readonly [Operation in keyof Routes & string]?: OnInvalidBody } = {},
): ServedApi {
  return { declaration, handlers, onInvalidBody };
}
