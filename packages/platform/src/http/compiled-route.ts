import type { CachePolicy, ResponseDeclaration, RouteDeclaration } from '@lcs/contract';
import { type BodyReader, bodyReader } from './json-body.ts';
import { type QueryReader, queryReader } from './query-reader.ts';
import type { AnyHandler, ServedApi } from './served-api.ts';

/** The headers of one declared answer, made once. */
export interface AnswerHead {
  readonly response: ResponseDeclaration;
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  readonly isEventStream: boolean;
}

/** A route with everything that can be prepared before the first request. */
export interface CompiledRoute {
  readonly operation: string;
  /** The path in the router's spelling. */
  readonly url: string;
  /** The parameter that takes the rest of the path, if one does. */
  readonly rest: string | undefined;
  readonly declaration: RouteDeclaration;
  readonly handler: AnyHandler;
  readonly query: QueryReader | undefined;
  readonly body: BodyReader | undefined;
  readonly heads: ReadonlyMap<number, AnswerHead>;
}

const jsonType = 'application/json; charset=utf-8';

const cacheControl = (policy: CachePolicy): string =>
  typeof policy === 'number' ? `private, max-age=${policy}` : policy;

function headOf(declaration: RouteDeclaration, response: ResponseDeclaration): AnswerHead {
  const contentType = response.contentType ?? jsonType;
  const isEventStream = contentType.startsWith('text/event-stream');
  return {
    response,
    isJson: contentType.startsWith('application/json'),
    isEventStream,
    headers: {
      'content-type': contentType,
      'cache-control': cacheControl(declaration.cache),
      ...(declaration.deprecated ? { deprecation: 'true' } : {}),
      // Reverse proxies keep answers back until they have a buffer full of them; this asks them not to.
      ...(isEventStream ? { 'x-accel-buffering': 'no' } : {}),
    },
  };
}

function compileRoute(operation: string, declaration: RouteDeclaration, handler: AnyHandler): CompiledRoute {
  const heads = Object.entries(declaration.responses).map(
    ([status, response]) => [Number(status), headOf(declaration, response)] as const,
  );
  return {
    operation,
    url: routerPath(declaration),
    rest: declaration.takesRest && /\{(\w+)\}$/.exec(declaration.path)?.[1],
    declaration,
    handler,
    query: declaration.query && queryReader(declaration.query),
    body: declaration.body && bodyReader(declaration.body, declaration.bodyAliases),
    heads: new Map(heads),
  };
}

/** Routes that share a path. */
export interface CompiledPath {
  readonly routes: readonly CompiledRoute[];
  /** The path in the router's spelling. */
  readonly url: string;
  /** Matches the paths of requests. */
  readonly pattern: RegExp;
  /** The methods of the path, HEAD and OPTIONS included, as the `Allow` header lists them. */
  readonly allow: string;
}

const parameter = /\{\w+\}/g;

const routerPath = ({ path, takesRest }: RouteDeclaration): string =>
  (takesRest ? path.replace(/\{\w+\}$/, '*') : path)
    .replaceAll(':', '::')
    .replaceAll(parameter, (braced) => `:${braced.slice(1, -1)}`);

/** Paths that differ in the names of their parameters only are one path. */
const anonymous = (path: string): string => path.replaceAll(parameter, '{}');

const patternOf = (path: string, takesRest: boolean): RegExp => {
  const pattern = path.split('{}').map(RegExp.escape).join('[^/]+');
  return new RegExp(`^${takesRest ? pattern.replace(/\[\^\/\]\+$/, '.+') : pattern}$`);
};

function allowOf(routes: readonly CompiledRoute[]): string {
  const methods = routes.map(({ declaration }) => declaration.method);
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
}

function compilePath(path: string, routes: readonly CompiledRoute[]): CompiledPath {
  const methods = new Set(routes.map(({ declaration }) => declaration.method));
  if (methods.size < routes.length) throw new Error(`A method of ${path} is declared twice.`);
  const [first] = routes;
  return {
    routes,
    url: first?.url ?? path,
    pattern: patternOf(path, first?.rest !== undefined),
    allow: allowOf(routes),
  };
}

/** Compiles all declared routes; throws when a route has no handler or is declared twice. */
export function compilePaths(apis: readonly ServedApi[]): readonly CompiledPath[] {
  const routes = apis.flatMap(({ declaration, handlers }) =>
    Object.entries(declaration).map(([operation, route]) => {
      const handler = handlers[operation];
      if (handler === undefined) throw new Error(`The operation ${operation} has no handler.`);
      return compileRoute(operation, route, handler);
    }),
  );
  const byPath = Map.groupBy(routes, ({ declaration }) => anonymous(declaration.path));
  return [...byPath].map(([path, ofPath]) => compilePath(path, ofPath));
}
