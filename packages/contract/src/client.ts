import type { ErrorBody } from './error-body.ts';
import { isErrorBody } from './is-error-body.ts';
import { ProblemError } from './problem-error.ts';
import type { FinishedTask } from './resources/task.ts';
import type { Api, BodyOf, ParamsOf, QueryOf, ResultOf, RouteDeclaration, UploadDeclaration } from './route.ts';

export { ProblemError } from './problem-error.ts';

type Empty = Record<never, never>;

/** A field of the options that must be there only when something in it must. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? Empty
  : [keyof Value] extends [never]
    ? Empty
    : Empty extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value };

/** A file to be sent. */
export interface FileToSend {
  readonly content: Blob;
  readonly fileName: string;
}

type FileOf<Route extends RouteDeclaration> = Route extends { readonly upload: UploadDeclaration }
  ? FileToSend
  : undefined;

/** Arguments of a call: path parameters, query, and body or file, as the route declares them. */
export type CallOptions<Route extends RouteDeclaration> = Part<'params', ParamsOf<Route>> &
  Part<'query', QueryOf<Route>> &
  Part<'body', BodyOf<Route>> &
  Part<'file', FileOf<Route>> & {
    readonly signal?: AbortSignal;
    /** Why the caller does this, for the audit; some routes need it of a person (`needsReason`). */
    readonly reason?: string;
    /** The `ETag` of the version that the call replaces; it is refused when there is another one. */
    readonly ifMatch?: string;
  };

type CallArguments<Route extends RouteDeclaration> =
  Empty extends CallOptions<Route> ? [options?: CallOptions<Route>] : [options: CallOptions<Route>];

/** One function per declared route. Each throws a ProblemError unless it is answered with success. */
export type Client<Routes extends Api> = {
  readonly [Operation in keyof Routes]: (
    ...args: CallArguments<Routes[Operation]>
  ) => Promise<ResultOf<Routes[Operation]>>;
};

/** How to reach a node; `headers` go with every request. */
export interface ClientOptions {
  /** Without a slash at the end; empty in a page of the node itself. */
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of a request, without the types of its route. */
interface LooseCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly file?: FileToSend;
  readonly signal?: AbortSignal;
  readonly reason?: string;
  readonly ifMatch?: string;
}

/** Inside a URL these mean other folders even when they are percent-encoded; the request would hit another route. */
const notASegment = /^\.{0,2}$/;

/** A value that no address can contain, such as an empty name. */
export class AddressError extends RangeError {
  constructor(value: string, parameter: string) {
    super(`'${value}' cannot be the ${parameter} in an address.`);
    this.name = 'AddressError';
  }
}

/** The path of a call, parameters percent-encoded, query included: for links and event sources. @throws AddressError */
export function callPath(route: Pick<RouteDeclaration, 'path'>, { params = {}, query = {} }: LooseCall = {}): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name] ?? '';
    if (notASegment.test(value)) throw new AddressError(value, name);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

const isText = (response: Response): boolean => (response.headers.get('content-type') ?? '').startsWith('text/');
const isJson = (response: Response): boolean => /[/+]json\b/i.test(response.headers.get('content-type') ?? '');

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const strangeAnswer = (response: Response, cause: string): ErrorBody => ({
  error: `The server answered ${response.status} without an explanation.`,
  cause,
  remediation: 'Check that the address is that of the leader, and read its log.',
  status: response.status,
  code: 'unexplained_answer',
});

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) || 'The answer was empty.';

async function resultOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const json = isJson(response) || !response.ok ? parsed(text) : undefined;
  if (!response.ok) {
    const body = isErrorBody(json?.value) ? json.value : strangeAnswer(response, firstLine(text));
    throw new ProblemError('answer', body, { requestId });
  }
  if (!isJson(response)) return text === '' && !isText(response) ? undefined : text;
  if (json) return json.value;
  throw new ProblemError('answer', strangeAnswer(response, 'The answer is declared as JSON and is not valid JSON.'), {
    requestId,
  });
}

type SendOptions = Pick<LooseCall, 'body' | 'signal' | 'reason' | 'ifMatch'> & { readonly form?: FormData };

async function send(method: string, path: string, options: ClientOptions, call: SendOptions): Promise<unknown> {
  const { baseUrl, headers = {}, fetch = globalThis.fetch } = options;
  const json = call.body === undefined ? undefined : JSON.stringify(call.body);
  const body = json ?? call.form;
  const url = baseUrl + path;
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        // Headers are Latin-1: the text is percent-encoded.
        ...(call.reason === undefined ? {} : { 'x-reason': encodeURIComponent(call.reason) }),
        ...(call.ifMatch === undefined ? {} : { 'if-match': call.ifMatch }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(call.signal ? { signal: call.signal } : {}),
    });
    return await resultOf(response);
  } catch (error) {
    if (error instanceof ProblemError || call.signal?.aborted) throw error;
    throw ProblemError.noAnswer(url, error);
  }
}

function formOf({ upload }: RouteDeclaration, { file }: LooseCall): { readonly form?: FormData } {
  if (upload === undefined || file === undefined) return {};
  const form = new FormData();
  form.append(upload.field, file.content, file.fileName);
  return { form };
}

/** Typed calls of all routes of `api`; runs in browsers and in Node. */
export function createClient<const Routes extends Api>(api: Routes, options: ClientOptions): Client<Routes>;
export function createClient(api: Api, options: ClientOptions): Record<string, (call?: LooseCall) => Promise<unknown>> {
  return Object.fromEntries(
    Object.entries(api).map(([operation, route]) => [
      operation,
      async (call: LooseCall = {}) =>
        send(route.method, callPath(route, call), options, { ...call, ...formOf(route, call) }),
    ]),
  );
}

/** How to wait for a task. */
export interface WaitOptions extends Omit<ClientOptions, 'baseUrl'> {
  readonly sleep: (delayMs: number, signal?: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
}

const firstPollMs = 100;
const longestPollMs = 1000;

const isFinished = (value: unknown): value is FinishedTask =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  (value.status === 'succeeded' || value.status === 'failed');

/**
 * Polls the result of an accepted task until it has ended, first often, then every second. Returns the finished task,
 * failed ones too; throws a ProblemError when the request fails, or the signal's reason.
 */
export async function waitForTask(
  baseUrl: string,
  accepted: { readonly result_url_path: string },
  options: WaitOptions,
): Promise<FinishedTask> {
  const { sleep, signal } = options;
  for (let delayMs = firstPollMs; ; delayMs = Math.min(delayMs * 2, longestPollMs)) {
    const task = await send('GET', accepted.result_url_path, { ...options, baseUrl }, signal ? { signal } : {});
    if (isFinished(task)) return task;
    await sleep(delayMs, signal);
    signal?.throwIfAborted();
  }
}
