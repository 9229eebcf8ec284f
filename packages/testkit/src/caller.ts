import { once } from 'node:events';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  type Api,
  type ErrorBody,
  ErrorBody as ErrorBodySchema,
  type ErrorCode,
  errorCodesOf,
  type RouteDeclaration,
} from '@lcs/contract';
import { Value } from 'typebox/value';

/** `answered`: a server has sent it; `asserted`: a test has compared it with the expected one. */
export type AnswerStage = 'answered' | 'asserted';

/** Called for every answer of a server under test, and again when a test has asserted its status. */
export type Observe = (
  route: { readonly method: string; readonly path: string },
  status: number,
  how: AnswerStage,
) => void;

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  /** Written in the path as they are, instead of `params`: dot segments are neither encoded nor resolved. */
  readonly rawParams?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  /** Sent as the file of a form, under the name that the route declares (or `field`), instead of a body. */
  readonly file?: {
    readonly content: string | Uint8Array<ArrayBuffer>;
    readonly fileName: string;
    readonly field?: string;
  };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A received answer, before a test asserts it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The parsed body; throws when it is not JSON. */
  readonly json: unknown;
  /**
   * Asserts the status (and, for an error, the code) and that the body has the declared shape; returns the body. This is the
   * only call that reports an answer as asserted.
   */
  expect(status: number, code?: ErrorCode): unknown;
}

const fill = (path: string, { params = {}, rawParams = {} }: CallOptions): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => rawParams[name] ?? encodeURIComponent(params[name] ?? ''));

interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
}

type Received = Pick<Answer, 'status' | 'headers' | 'bytes'>;

async function sendByFetch(url: string, outgoing: Outgoing): Promise<Received> {
  const response = await fetch(url, outgoing);
  return {
    status: response.status,
    headers: response.headers,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

/** Sends the path as it is written: `fetch` resolves dot segments before it sends them. */
async function sendAsWritten(baseUrl: string, path: string, { method, headers, body }: Outgoing): Promise<Received> {
  const { hostname, port } = new URL(baseUrl);
  const encoded = body === undefined ? undefined : new Response(body);
  const bytes = encoded && new Uint8Array(await encoded.arrayBuffer());
  const contentType = encoded?.headers.get('content-type');
  const sent = request({
    hostname,
    port,
    method,
    path,
    headers: {
      ...(contentType && { 'content-type': contentType }),
      ...(bytes && { 'content-length': bytes.length }),
      ...headers,
    },
    agent: false,
  });
  sent.end(bytes);
  const [incoming] = await once(sent, 'response');
  const received = new Headers();
  for (const [name, value] of Object.entries<string | string[]>(incoming.headers)) received.set(name, String(value));
  return { status: incoming.statusCode, headers: received, bytes: new Uint8Array(await buffer(incoming)) };
}

function formWith({ content, fileName, field }: NonNullable<CallOptions['file']>, declared = 'file'): FormData {
  const form = new FormData();
  form.append(field ?? declared, new Blob([content]), fileName);
  return form;
}

function queryText(query: CallOptions['query'] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'object' ? value : [value]) search.append(name, String(one));
  }
  return search.size > 0 ? `?${search}` : '';
}

function checkShape(route: RouteDeclaration, status: number, answer: { readonly text: string }): unknown {
  const declared = route.responses[status];
  if (!declared && status < 400) throw new Error(`${route.method} ${route.path} does not declare status ${status}`);
  if (declared?.contentType) return answer.text;
  const body: unknown = JSON.parse(answer.text);
  const schema = declared?.schema ?? ErrorBodySchema;
  if (!Value.Check(schema, body)) {
    const [fault] = Value.Errors(schema, body);
    throw new Error(
      `${route.method} ${route.path} ${status}: ${fault?.instancePath} ${fault?.message}\n${answer.text.slice(0, 500)}`,
    );
  }
  if (isErrorBody(body)) checkCode(route, body.code);
  return body;
}

/** Errors before the declaration of a route applies: the request did not reach the route. */
const codesBeforeRouting: readonly string[] = ['route_not_found', 'method_not_allowed'];

function checkCode(route: RouteDeclaration, code: string): void {
  const declared: readonly string[] = errorCodesOf(route);
  if (declared.includes(code) || codesBeforeRouting.includes(code)) return;
  throw new Error(`${route.method} ${route.path} does not declare the error ${code}`);
}

const isErrorBody = (value: unknown): value is ErrorBody => Value.Check(ErrorBodySchema, value);

/** Calls declared routes over HTTP as a foreign client would: without validation before it is sent. */
export class Caller<Routes extends Api> {
  readonly #api: Routes;
  readonly #baseUrl: string;
  readonly #observe: Observe;

  constructor(api: Routes, baseUrl: string, observe: Observe = () => {}) {
    this.#api = api;
    this.#baseUrl = baseUrl;
    this.#observe = observe;
  }

  async call(operation: keyof Routes & string, options: CallOptions = {}): Promise<Answer> {
    const route: RouteDeclaration | undefined = this.#api[operation];
    if (!route) throw new Error(`no route ${operation}`);
    const form = options.file && formWith(options.file, route.upload?.field);
    const rawBody = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const body = form ?? rawBody;
    const outgoing = {
      method: route.method,
      headers: { ...(rawBody === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
      ...(body === undefined ? {} : { body }),
    };
    const path = fill(route.path, options) + queryText(options.query);
    const received =
      options.rawParams === undefined
        ? await sendByFetch(this.#baseUrl + path, outgoing)
        : await sendAsWritten(this.#baseUrl, path, outgoing);
    return this.#checked(route, { ...received, text: new TextDecoder().decode(received.bytes) });
  }

  #checked(route: RouteDeclaration, answer: Pick<Answer, 'status' | 'headers' | 'bytes' | 'text'>): Answer {
    const observe = this.#observe;
    return {
      ...answer,
      get json(): unknown {
        return JSON.parse(answer.text);
      },
      expect(status, code) {
        if (answer.status !== status) {
          throw new Error(
            `${route.method} ${route.path}: expected ${status}, got ${answer.status}\n${answer.text.slice(0, 500)}`,
          );
        }
        const body = checkShape(route, status, answer);
        if (code && !(isErrorBody(body) && body.code === code)) {
          throw new Error(`${route.method} ${route.path}: expected code ${code}\n${answer.text.slice(0, 500)}`);
        }
        observe(route, status, 'asserted');
        return body;
      },
    };
  }
}

/** Reports the answers of a server. */
export const reportAnswers = (observe: Observe | undefined) =>
  observe === undefined
    ? {}
    : {
        onResponse: (route: { readonly method: string; readonly path: string }, status: number) =>
          observe(route, status, 'answered'),
      };
