import { compileSchema, jsonPath } from '@lcs/platform';
import type { PluginRoute, PluginRouteAnswer } from '@lcs/plugin-api';

/** A request that does not match the declaration of its route. */
class InvalidRouteRequest extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestUnfit';
  }
}

type Check = (value: unknown) => string | undefined;

/** Returns the fault of a value; undefined when it is valid. */
function checkOf(schema: PluginRoute['query']): Check {
  if (schema === undefined) return () => undefined;
  const { check, fault } = compileSchema(schema);
  return (value) => {
    if (check(value)) return undefined;
    const { path, problem } = fault(value);
    return path.length === 0 ? problem : `${problem} at ${jsonPath(path)}`;
  };
}

/** The compiled checks of a route. They run in the plugin's process, so that its schemas do not load the node. */
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

  /** @throws RequestUnfit; the error of the route; Error when its answer does not match the declaration */
  async answer(...[request, context]: Parameters<PluginRoute['handle']>): Promise<PluginRouteAnswer> {
    const unfit = this.#query(request.query) ?? this.#body(request.body);
    if (unfit !== undefined) throw new InvalidRouteRequest(unfit);
    const answer = await this.#route.handle(request, context);
    const wrong = this.#response(answer);
    if (wrong !== undefined) throw new Error(`Its answer does not match its declaration: ${wrong}`);
    return answer;
  }
}
