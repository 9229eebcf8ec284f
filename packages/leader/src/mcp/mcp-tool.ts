import { type Json, ownValue, type RouteDeclaration } from '@lcs/contract';
import type { CallParts, LeaderCalls } from './leader-calls.ts';

/** A JSON Schema of an object, as tools declare their arguments. */
interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

export type Arguments = Readonly<Record<string, Json>>;

/** Something that a language model may do with this cluster. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentsSchema;
  /** It changes something: there only when the configuration allows it. */
  readonly isActing: boolean;
  /** It ends or removes something. */
  readonly isDestructive: boolean;
  /** It reads by a query of its own: there only when the configuration allows that. */
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
  /** What the route may be told and models are not asked for. */
  readonly fixed?: { readonly body?: Arguments };
  /** Arguments of the route that models are not asked for. */
  readonly without?: readonly string[];
  /** Values for what is not said. */
  readonly defaults?: Arguments;
  /** What of the answer is of use. */
  readonly pick?: (answer: Json, args: Arguments) => Json;
}

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function propertiesOf(schema: unknown): { readonly properties: Properties; readonly required: readonly string[] } {
  const declared = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
  const properties = Object.fromEntries(
    Object.entries(declared).flatMap(([name, property]) => (isRecord(property) ? [[name, property]] : [])),
  );
  const required: unknown = isRecord(schema) ? schema.required : [];
  return {
    properties,
    required: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
  };
}

const paramNames = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** What parameters of paths mean, where their name does not say it. */
const paramTexts: Readonly<Record<string, string>> = {
  reactor_unit: 'Name of a unit; `$broadcast` stands for all of them where a tool says so',
  experiment: 'Name of an experiment; `$experiment` stands for the cluster itself',
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
  const wanted = [...params, ...query.required, ...body.required];
  const inputSchema: ArgumentsSchema = {
    type: 'object',
    properties: Object.fromEntries(
      shown(Object.keys(all)).map((name) => [argumentOf(name), ownValue(all, name) ?? {}]),
    ),
    required: shown(wanted)
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
