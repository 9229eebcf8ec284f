import type { Static, TObject, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One possible successful answer. */
export interface ResponseDeclaration {
  readonly description: string;
  /** Shape of the body. For content types other than JSON it describes the whole body (a string, usually). */
  readonly schema: TSchema;
  /** Default `application/json; charset=utf-8`. */
  readonly contentType?: string;
}

/** A file that comes as a part of a form (`multipart/form-data`). */
export interface UploadDeclaration {
  /** Name of the form's part that is the file; other parts are ignored. */
  readonly field: string;
  readonly description: string;
  /** The largest whole body, in bytes; a node may be configured with another size. */
  readonly limitBytes: number;
}

/** How long a browser may cache an answer: seconds, or a directive for `cache-control`. */
export type CachePolicy = number | 'no-store' | 'no-cache';

/** One route: the only declaration of its interface. */
export interface RouteDeclaration {
  readonly method: Method;
  /** Path with `{name}` for each parameter. A parameter is one path segment, any text. */
  readonly path: `/${string}`;
  /** The last parameter takes all that is left of the path, slashes included, at least one character. */
  readonly takesRest?: true;
  /** One line for people: OpenAPI, the reference page, the CLI and MCP tools show it. */
  readonly summary: string;
  /** What does not fit in a line: side effects, edge cases. */
  readonly description?: string;
  /** Group in the reference page. */
  readonly tag: string;
  readonly permission: Permission;
  /**
   * A person must state why (always, or if this field of the body is true), in the header `x-reason` (percent-encoded UTF-8, at most 500 characters); other callers may. The audit records
   * the reason of every change that states one.
   */
  readonly needsReason?: true | { readonly ifField: string };
  readonly query?: TObject;
  /** JSON body; routes without one ignore the body. */
  readonly body?: TObject;
  /** `json-rpc`: a body that cannot be read is answered as JSON-RPC 2.0 does, with status 400. */
  readonly bodyFaults?: 'json-rpc';
  /** Instead of a JSON body: a file. The handler decides when it is read, and so what is checked before. */
  readonly upload?: UploadDeclaration;
  /** Aliases of body fields, for clients of similar systems: `{ theirs: ours }`. */
  readonly bodyAliases?: Readonly<Record<string, string>>;
  readonly responses: { readonly [status: number]: ResponseDeclaration };
  /** A response to GET contains a secret, such as a token: it is never sent compressed. */
  readonly showsSecret?: true;
  /** Codes of the error table this route may answer with, beside those every route may have. */
  readonly errors: readonly ErrorCode[];
  readonly cache: CachePolicy;
  readonly deprecated?: boolean;
  /** A long poll: its handler waits for an event, and virtual time advances meanwhile. */
  readonly waits?: boolean;
  /** `extension`: not in the specification, needed by a real user interface or by the units. */
  readonly origin: 'specification' | 'extension';
}

/** Routes by operation id. */
export type Api = Readonly<Record<string, RouteDeclaration>>;

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** Path parameters, decoded. */
export type ParamsOf<Route extends RouteDeclaration> = { readonly [Name in ParameterNames<Route['path']>]: string };

export type QueryOf<Route extends RouteDeclaration> = Route extends { readonly query: infer Query extends TObject }
  ? Static<Query>
  : Record<never, never>;

export type BodyOf<Route extends RouteDeclaration> = Route extends { readonly body: infer Body extends TObject }
  ? Static<Body>
  : undefined;

/** A file that has been sent and is whole on the disk of this node, for 24 hours. */
export interface StagedUpload {
  /** Names the file to other routes of this node. */
  readonly uploadId: string;
  /** Without folders and unusual characters; never empty. */
  readonly fileName: string;
  /** Absolute. */
  readonly path: string;
  readonly sizeBytes: number;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** The body of a request with a file. It is read when the handler calls `receive`. */
export interface IncomingUpload {
  /**
   * Reads the file into the staging area; to be called once. `limitBytes` takes the place of the declared one.
   * @throws ApiError `upload_invalid`, `body_too_large`, `storage_full`; nothing is left on the disk then
   */
  receive(options?: { readonly limitBytes?: number }): Promise<StagedUpload>;
}

type StatusOf<Route extends RouteDeclaration> = Extract<keyof Route['responses'], number>;

type ResponseBody<Response> = Response extends { readonly schema: infer Schema extends TSchema }
  ? Static<Schema>
  : never;

/** A body that is already JSON, as text or as UTF-8, kept by a cache; `Body` is what it parses to. */
export class PreparedJson<Body> {
  readonly content: string | Uint8Array;
  declare readonly parsesTo: Body;
  private constructor(content: string | Uint8Array) {
    this.content = content;
  }
  static of<Body>(value: Body): PreparedJson<Body> {
    return new PreparedJson<Body>(JSON.stringify(value));
  }
  /** `content` must be the JSON of a `Body`. */
  static from<Body>(content: string | Uint8Array): PreparedJson<Body> {
    return new PreparedJson<Body>(content);
  }
  get text(): string {
    return typeof this.content === 'string' ? this.content : new TextDecoder().decode(this.content);
  }
}

/** A body written piece by piece (server-sent events, downloads). */
export class StreamBody {
  readonly chunks: AsyncIterable<string | Uint8Array>;
  constructor(chunks: AsyncIterable<string | Uint8Array>) {
    this.chunks = chunks;
  }
}

/** JSON written piece by piece, for bodies too large to be held as a whole. The pieces together must be the JSON of a `Body`. */
export class StreamedJson<Body> extends StreamBody {
  declare readonly parsesTo: Body;
}

/** What a handler returns: one of the declared statuses with the body declared for it. */
export type AnswerOf<Route extends RouteDeclaration> = {
  [Status in StatusOf<Route>]: {
    readonly status: Status;
    readonly body:
      | ResponseBody<Route['responses'][Status]>
      | PreparedJson<ResponseBody<Route['responses'][Status]>>
      | StreamedJson<ResponseBody<Route['responses'][Status]>>
      | (Route['responses'][Status] extends { readonly contentType: string } ? StreamBody : never);
    readonly headers?: Readonly<Record<string, string>>;
  };
}[StatusOf<Route>];

/** The body a client gets from a successful call. */
export type ResultOf<Route extends RouteDeclaration> = {
  [Status in StatusOf<Route>]: ResponseBody<Route['responses'][Status]>;
}[StatusOf<Route>];

/** Keeps the literal types of a group of routes; does nothing at run time. */
export function routes<const Group extends Api>(group: Group): Group {
  return group;
}
