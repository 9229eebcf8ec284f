import { ApiError } from '@lcs/contract';
import type { TObject, TSchema } from 'typebox';
import { compileSchema } from './compiled-schema.ts';
import { describeSchema, jsonPath } from './schema-fault.ts';

/** A query as the router splits it: repeated parameters are lists. */
type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Converts text to a value; undefined when the text is not such a value. */
type Convert = (text: string) => unknown;

const integer = /^-?\d+$/;
const decimal = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

const finite =
  (pattern: RegExp): Convert =>
  (text) => {
    const value = pattern.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? value : undefined;
  };

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };

const converters: Readonly<Record<string, Convert>> = {
  string: (text) => text,
  integer: (text) => {
    const value = finite(integer)(text);
    return Number.isSafeInteger(value) ? value : undefined;
  },
  number: finite(decimal),
  boolean: (text) => (Object.hasOwn(booleans, text) ? booleans[text] : undefined),
};

interface AnySchema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: unknown;
  readonly items?: unknown;
  readonly default?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

const isSchema = (value: unknown): value is TSchema & AnySchema => typeof value === 'object' && value !== null;

function converterOf(schema: unknown): Convert {
  if (!isSchema(schema)) return (text) => text;
  const words = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  if (words) return (text) => words.find((word) => String(word) === text);
  if (Array.isArray(schema.anyOf)) {
    const choices = schema.anyOf.map((choice) => ({
      convert: converterOf(choice),
      check: compileSchema(choice).check,
    }));
    return (text) => {
      for (const { convert, check } of choices) {
        const value = convert(text);
        if (value !== undefined && check(value)) return value;
      }
      return undefined;
    };
  }
  return (typeof schema.type === 'string' ? converters[schema.type] : undefined) ?? ((text) => text);
}

const article = (words: string): string => (/^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`);

/** "an integer from 0 to 100". */
function describeParameter(schema: unknown): string {
  if (!isSchema(schema)) return 'a value';
  if (schema.type === 'array') return `${describeParameter(schema.items)}, once per value`;
  const { minimum, maximum } = schema;
  const range = minimum === undefined && maximum === undefined ? '' : rangeOf(minimum, maximum);
  return `${typeof schema.type === 'string' && !('const' in schema) ? article(schema.type) : describeSchema(schema)}${range}`;
}

const rangeOf = (minimum: unknown, maximum: unknown): string => {
  if (minimum === undefined) return ` of at most ${maximum}`;
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
};

class Parameter {
  readonly name: string;
  readonly #schema: TSchema & AnySchema;
  readonly #required: boolean;
  readonly #isList: boolean;
  readonly #convert: Convert;

  constructor(name: string, schema: TSchema, required: boolean) {
    this.name = name;
    this.#schema = schema;
    this.#required = required;
    this.#isList = this.#schema.type === 'array';
    this.#convert = converterOf(this.#isList ? this.#schema.items : schema);
  }

  fail(cause: string): ApiError {
    const orNothing = this.#required ? '' : ', or leave it out';
    const remediation = `Send ${this.name} as ${describeParameter(this.#schema)}${orNothing}.`;
    return new ApiError('invalid_query', { name: this.name, cause, remediation });
  }

  read(sent: string | readonly string[] | undefined): unknown {
    if (sent === undefined) {
      if (this.#schema.default !== undefined) return this.#schema.default;
      if (this.#required) throw this.fail('The parameter is missing.');
      return undefined;
    }
    if (this.#isList) return (typeof sent === 'string' ? [sent] : sent).map((text) => this.#value(text));
    if (typeof sent !== 'string') throw this.fail(`The parameter is given ${sent.length} times.`);
    return this.#value(sent);
  }

  #value(text: string): unknown {
    const value = this.#convert(text);
    if (value !== undefined) return value;
    const wanted = describeParameter(this.#isList ? this.#schema.items : this.#schema);
    throw this.fail(text === '' ? `Expected ${wanted}, got nothing.` : `Expected ${wanted}, got '${text}'.`);
  }
}

/** Converts and checks a raw query; throws `invalid_query` with the first wrong parameter. */
export type QueryReader = (raw: RawQuery) => object;

/**
 * Compiles the query of a route. Undeclared parameters are ignored, because some clients add one to bypass caches. Only a query with
 * `additionalProperties: true` receives them, as text.
 */
export function queryReader(schema: TObject): QueryReader {
  const required = new Set<string>(schema.required ?? []);
  const parameters = Object.entries(schema.properties).map(
    ([name, property]) => new Parameter(name, property, required.has(name)),
  );
  const { check, fault } = compileSchema(schema);
  const takesOthers = 'additionalProperties' in schema && schema.additionalProperties === true;
  return (raw) => {
    const query: Record<string, unknown> = {};
    if (takesOthers) for (const [name, text] of Object.entries(raw)) if (typeof text === 'string') query[name] = text;
    for (const parameter of parameters) {
      const value = parameter.read(raw[parameter.name]);
      if (value !== undefined) query[parameter.name] = value;
    }
    if (check(query)) return query;
    const { path, problem } = fault(query);
    const [name, ...inside] = path;
    const parameter = parameters.find((candidate) => candidate.name === name);
    const cause = inside.length === 0 ? problem : `${problem} at ${jsonPath(inside)}`;
    throw parameter?.fail(cause) ?? new ApiError('invalid_query', { name: '?', cause, remediation: 'See /api/docs.' });
  };
}
