import { compileSchema, jsonPath } from '@lcs/platform';
import type { PluginRoute, PluginRouteAnswer } from '@lcs/plugin-api';

/** A request that is not as its route declares. */
class RequestUnfit extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestUnfit';
  }
}

type Check = (value: unknown) => string | undefined;

/** Says what is wrong with a value; undefined when it fits. */
function checkOf(schema: PluginRoute['query']): Check {
  if (schema === undefined) return () => undefined;
  const { check, fault } = compileSchema(schema);
  return (value) => {
    if (check(value)) return undefined;
    const { path, problem } = fault(value);
    return path.length === 0 ? problem : `${problem} at ${jsonPath(path)}`;
  };
}

/** The checks of a route, made once. They run where the plugin runs: what its schemas cost is its own affair. */
export class CheckedRoute {
  readonly #route: PluginRoute;
  readonly #query: Check;
  readonly #body: Check;
  readonly #response: Check;

  constructor(route: PluginRoute) {
    this.#route = route;
    this.#query = checkOf(route.query);
    this.#body = checkOf(route.body);
    this.#response = checkOf(route.response);
  }

  /** @throws RequestUnfit; whatever the route throws; Error when its answer is not the declared one */
  async answer(...[request, context]: Parameters<PluginRoute['handle']>): Promise<PluginRouteAnswer> {
    const unfit = this.#query(request.query) ?? this.#body(request.body);
    if (unfit !== undefined) throw new RequestUnfit(unfit);
    const answer = await this.#route.handle(request, context);
    const wrong = this.#response(answer);
    if (wrong !== undefined) throw new Error(`It answers otherwise than it declares: ${wrong}`);
    return answer;
  }
}
