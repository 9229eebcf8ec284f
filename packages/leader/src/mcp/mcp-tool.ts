import { type Json, ownValue, type Permission, type RouteDeclaration } from '@lcs/contract';
import type { TObject } from 'typebox';
import type { CallParts, LeaderCalls } from './leader-calls.ts';

/** A JSON Schema of an object, as tools declare their arguments. */
interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export type Arguments = Readonly<Record<string, Json>>;

/** An operation of this cluster for a language model. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentsSchema;
  /** The tool is offered to callers that have it; its calls need the permissions of their routes. */
  readonly permission: Permission;
  /** It changes data: available only when the configuration allows it. */
  readonly isActing: boolean;
  /** It ends or removes data or jobs. */
  readonly isDestructive: boolean;
  /** It executes a query of the caller: available only when the configuration allows it. */
  readonly isQuery?: boolean;
  /** @throws CallRefused */
  run(args: Arguments, signal: AbortSignal): Promise<Json>;
}

/** How a tool is made from a route. */
export interface RouteTool {
  readonly name: string;
  readonly title: string;
  readonly route: RouteDeclaration;
  readonly isActing?: boolean;
  readonly isDestructive?: boolean;
  /** Names of arguments that are not those of the route: `{ argument: 'name in the route' }`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Fields of the body that models do not send. */
  readonly fixed?: { readonly body?: Arguments };
  /** Arguments of the route that models do not send. */
  readonly without?: readonly string[];
  /** Defaults of arguments. */
  readonly defaults?: Arguments;
  /** Reduces the response. */
  readonly pick?: (answer: Json, args: Arguments) => Json;
}

type Properties = Readonly<Record<string, object>>;

const propertiesOf = (schema: TObject | undefined): { properties: Properties; required: readonly string[] } => ({
  properties: schema?.properties ?? {},
  required: schema?.required ?? [],
});

const paramNames = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Descriptions of path parameters. */
const paramTexts: Readonly<Record<string, string>> = {
  reactor_unit: 'Name of a unit; `$broadcast` means all of them where the tool allows it',
  experiment: 'Name of an experiment; `$experiment` means the cluster itself',
};

/** A tool that calls one route: its arguments, their shapes and its description are those of the route. */
export function routeTool(calls: LeaderCalls, tool: RouteTool): McpTool {
  const { route, renamed = {}, defaults = {}, without = [], fixed = {} } = tool;
  const argumentOf = (name: string): string =>
    Object.entries(renamed).find(([, original]) => original === name)?.[0] ?? name;
  const params = paramNames(route.path);
  const query = propertiesOf(route.query);
  const body = propertiesOf(route.body);
  const hidden = new Set([...without, ...Object.keys(fixed.body ?? {})]);
  const shown = (names: readonly string[]) => names.filter((name) => !hidden.has(name));
  const inPath = Object.fromEntries(params.map((name) => [name, paramSchema(name)]));
  const all: Properties = { ...inPath, ...query.properties, ...body.properties };
  const required = [...params, ...query.required, ...body.required];
  const inputSchema: ArgumentsSchema = {
    type: 'object',
    properties: Object.fromEntries(
      shown(Object.keys(all)).map((name) => [argumentOf(name), ownValue(all, name) ?? {}]),
    ),
    required: shown(required)
      .map(argumentOf)
      .filter((name) => !Object.hasOwn(defaults, name)),
    additionalProperties: false,
  };
  const partsOf = (args: Arguments): CallParts => {
    const given = new Map(
      Object.entries({ ...defaults, ...args }).map(([name, value]) => [ownValue(renamed, name) ?? name, value]),
    );
    const of = (names: readonly string[]): Record<string, Json> =>
      Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? null]] : [])));
    return {
      params: Object.fromEntries(params.map((name) => [name, String(given.get(name) ?? '')])),
      query: of(Object.keys(query.properties)),
      ...(route.body === undefined ? {} : { body: { ...of(Object.keys(body.properties)), ...fixed.body } }),
    };
  };
  return {
    name: tool.name,
    title: tool.title,
    description: [route.summary, route.description].filter((text) => text !== undefined).join('. '),
    inputSchema,
    permission: route.permission,
    isActing: tool.isActing ?? false,
    isDestructive: tool.isDestructive ?? false,
    run: async (args, signal) => {
      const answer = await calls.call(route, partsOf(args), signal);
      return tool.pick ? tool.pick(answer, args) : answer;
    },
  };
}

const paramSchema = (name: string): Readonly<Record<string, unknown>> => {
  const description = ownValue(paramTexts, name);
  return { type: 'string', minLength: 1, ...(description === undefined ? {} : { description }) };
};
