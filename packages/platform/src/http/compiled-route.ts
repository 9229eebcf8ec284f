import type { CachePolicy, ResponseDeclaration, RouteDeclaration } from '@lcs/contract';
import { type BodyReader, bodyReader } from './json-body.ts';
import { PathTable } from './path-table.ts';
import { type QueryReader, queryReader } from './query-reader.ts';
import type { AnyHandler, OnInvalidBody, ServedApi } from './served-api.ts';

/** The headers of one declared response, computed once. */
export interface ResponseHead {
  readonly response: ResponseDeclaration;
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  /** JSON or text without a secret: compressed together with text that a caller chose, its length would betray it (BREACH). */
  readonly isCompressible: boolean;
  readonly isEventStream: boolean;
}

/** A route with everything that is prepared before the first request. */
export interface CompiledRoute {
  readonly operation: string;
  /** The names of the path's parameters, in their order. */
  readonly parameters: readonly string[];
  readonly declaration: RouteDeclaration;
  readonly handler: AnyHandler;
  /** Called when the body of a request was refused. */
  readonly onInvalidBody: OnInvalidBody | undefined;
  readonly query: QueryReader | undefined;
  readonly body: BodyReader | undefined;
  readonly heads: ReadonlyMap<number, ResponseHead>;
}

const jsonType = 'application/json; charset=utf-8';

const cacheControl = (policy: CachePolicy): string =>
  typeof policy === 'number' ? `private, max-age=${policy}` : policy;

function headOf(declaration: RouteDeclaration, response: ResponseDeclaration): ResponseHead {
  const contentType = response.contentType ?? jsonType;
  const isEventStream = contentType.startsWith('text/event-stream');
  const isJson = contentType.startsWith('application/json');
  return {
    response,
    isJson,
    isCompressible: (isJson || contentType.startsWith('text/plain')) && declaration.showsSecret !== true,
    isEventStream,
    headers: {
      'content-type': contentType,
      'cache-control': cacheControl(declaration.cache),
      // Reverse proxies buffer responses; this header disables that.
      ...(isEventStream ? { 'x-accel-buffering': 'no' } : {}),
    },
  };
}

function compileRoute(
  operation: string,
  declaration: RouteDeclaration,
  handler: AnyHandler,
  onInvalidBody: OnInvalidBody | undefined,
): CompiledRoute {
  const heads = Object.entries(declaration.responses).map(
    ([status, response]) => [Number(status), headOf(declaration, response)] as const,
  );
  return {
    operation,
    parameters: [...declaration.path.matchAll(parameter)].map(([braced]) => braced.slice(1, -1)),
    declaration,
    handler,
    onInvalidBody,
    query: declaration.query && queryReader(declaration.query),
    body: declaration.body && bodyReader(declaration.body, declaration.bodyAliases),
    heads: new Map(heads),
  };
}

/** Routes that share a path. */
interface CompiledPath {
  /** By request method; HEAD uses the route for GET. */
  readonly routes: ReadonlyMap<string, CompiledRoute>;
  /** The methods of the path, HEAD and OPTIONS included, as the `Allow` header lists them. */
  readonly allow: string;
}

/** Finds the declared path of a request. */
export type CompiledPaths = Pick<PathTable<CompiledPath>, 'find'>;

const parameter = /\{\w+\}/g;

/** Paths that differ only in the names of their parameters are one path, unless one of them takes the rest of the path. */
const anonymous = ({ path, takesRest }: RouteDeclaration): string =>
  path.replaceAll(parameter, '{}') + (takesRest ? '/…' : '');

function compilePath(routes: readonly CompiledRoute[]): CompiledPath {
  const byMethod = new Map<string, CompiledRoute>();
  for (const route of routes) {
    const { method, path } = route.declaration;
    if (byMethod.has(method)) throw new Error(`A method of ${path} is declared twice.`);
    byMethod.set(method, route);
    if (method === 'GET') byMethod.set('HEAD', route);
  }
  return { routes: byMethod, allow: [...byMethod.keys(), 'OPTIONS'].join(', ') };
}

/** Compiles all declared routes; throws when a route has no handler or is declared twice. */
export function compilePaths(apis: readonly ServedApi[]): CompiledPaths {
  const routes = apis.flatMap(({ declaration, handlers, onInvalidBody }) =>
    Object.entries(declaration).map(([operation, route]) => {
      const handler = handlers[operation];
      if (handler === undefined) throw new Error(`The operation ${operation} has no handler.`);
      return compileRoute(operation, route, handler, onInvalidBody?.[operation]);
    }),
  );
  const table = new PathTable<CompiledPath>();
  for (const ofPath of Map.groupBy(routes, ({ declaration }) => anonymous(declaration)).values()) {
    const [first] = ofPath;
    if (first) table.add(first.declaration.path, first.declaration.takesRest === true, compilePath(ofPath));
  }
  return table;
}
