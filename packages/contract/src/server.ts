import type { Caller } from './caller.ts';
import type {
  AnswerOf,
  Api,
  BodyOf,
  IncomingUpload,
  ParamsOf,
  QueryOf,
  RouteDeclaration,
  UploadDeclaration,
} from './route.ts';

/** What the connection of a request shows of its sender. */
export interface SenderConnection {
  readonly isSecure: boolean;
  /** Base64 of the public key of the certificate that the sender has presented. */
  readonly peerKey: string | undefined;
}

interface PlainRequest<Route extends RouteDeclaration> {
  readonly params: ParamsOf<Route>;
  readonly query: QueryOf<Route>;
  readonly body: BodyOf<Route>;
  readonly caller: Caller;
  /** Also in the answer's `x-request-id` and in the log. */
  readonly requestId: string;
  /** Aborted when the caller disconnects or the deadline (`x-deadline-ms`) passes. */
  readonly signal: AbortSignal;
  /** IP address of the caller; absent when the request did not come over a connection. */
  readonly remoteAddress?: string;
  /** Whether the client's connection is encrypted. */
  readonly isSecure?: boolean;
  /** Absent when the request did not come over a connection. */
  readonly origin?: SenderConnection | undefined;
  /** Lower-case header names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A validated request for a handler; with the upload where the route declares a file. */
export type RouteRequest<Route extends RouteDeclaration> = PlainRequest<Route> &
  (Route extends { readonly upload: UploadDeclaration } ? { readonly upload: IncomingUpload } : unknown);

export type Handler<Route extends RouteDeclaration> = (
  request: RouteRequest<Route>,
) => Promise<AnswerOf<Route>> | AnswerOf<Route>;

/**
 * Everything a server of `Routes` must have: a handler per declared route, none beside them, each answering a declared
 * status with the declared shape. A server that does not fit does not compile.
 */
export type Handlers<Routes extends Api> = { readonly [Operation in keyof Routes]: Handler<Routes[Operation]> };
