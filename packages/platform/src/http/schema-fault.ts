import { isObject } from '@lcs/contract';

/** A JSON Schema as plain data: a TypeBox schema without its static type. */
type Schema = Readonly<Record<string, unknown>>;

/** The first violation of its schema by a value. */
export interface Fault {
  readonly path: readonly (string | number)[];
  /** Such as "expected string, got integer". */
  readonly problem: string;
  /** The missing or unknown field of the object at `path`. */
  readonly name?: string;
}

const schemasOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.filter(isObject) : []);

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];

/** The JSON name of a value's type; whole numbers are integers. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const longestQuote = 60;

const quote = (value: unknown): string => {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? String(value));
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
};

const plural = (count: unknown, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;

const isType = (value: unknown, type: string): boolean => {
  const actual = typeName(value);
  return actual === type || (type === 'number' && actual === 'integer');
};

const typesOf = (schema: Schema): readonly string[] =>
  typeof schema.type === 'string' ? [schema.type] : textsOf(schema.type);

const alternatives = (words: readonly string[]): string => {
  const distinct = [...new Set(words)];
  const last = distinct.pop();
  return distinct.length === 0 ? (last ?? 'a valid value') : `${distinct.join(', ')} or ${last}`;
};

/** A short description of a schema: "integer or null", "'a' or 'b'". */
export function describeSchema(schema: unknown): string {
  if (!isObject(schema)) return 'a valid value';
  if ('const' in schema) return quote(schema.const);
  if (Array.isArray(schema.enum)) return alternatives(schema.enum.map(quote));
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return alternatives(choices.map(describeSchema));
  const types = typesOf(schema);
  return types.length > 0 ? alternatives(types) : 'a valid value';
}

const fault = (path: readonly (string | number)[], problem: string): Fault => ({ path, problem });

type Path = readonly (string | number)[];

function numberFault(schema: Schema, value: number, path: Path): Fault | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const wrong = (wanted: string) => fault(path, `expected a number ${wanted}, got ${value}`);
  if (typeof minimum === 'number' && value < minimum) return wrong(`of at least ${minimum}`);
  if (typeof maximum === 'number' && value > maximum) return wrong(`of at most ${maximum}`);
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return wrong(`above ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return wrong(`below ${exclusiveMaximum}`);
  if (typeof multipleOf === 'number' && value % multipleOf !== 0) return wrong(`that is a multiple of ${multipleOf}`);
  return undefined;
}

/** Unicode characters: a pair of surrogates is one. */
function characterCount(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index += 1;
    count += 1;
  }
  return count;
}

function stringFault(schema: Schema, value: string, path: Path): Fault | undefined {
  const length = characterCount(value);
  const { minLength, maxLength, pattern } = schema;
  if (typeof minLength === 'number' && length < minLength) {
    return fault(path, `expected at least ${plural(minLength, 'character')}, got ${length}`);
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return fault(path, `expected at most ${plural(maxLength, 'character')}, got ${length}`);
  }
  if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(value)) {
    return fault(path, `${quote(value)} does not match ${pattern}`);
  }
  return undefined;
}

function arrayFault(schema: Schema, values: readonly unknown[], path: Path): Fault | undefined {
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === 'number' && values.length < minItems) {
    return fault(path, `expected at least ${plural(minItems, 'item')}, got ${values.length}`);
  }
  if (typeof maxItems === 'number' && values.length > maxItems) {
    return fault(path, `expected at most ${plural(maxItems, 'item')}, got ${values.length}`);
  }
  for (const [index, value] of values.entries()) {
    const found = firstFault(Array.isArray(items) ? items[index] : items, value, [...path, index]);
    if (found) return found;
  }
  if (schema.uniqueItems === true) {
    const seen = new Set<string>();
    for (const [index, value] of values.entries()) {
      const key = JSON.stringify(value);
      if (seen.has(key)) return fault([...path, index], `${quote(value)} occurs twice`);
      seen.add(key);
    }
  }
  return undefined;
}

function objectFault(schema: Schema, value: Readonly<Record<string, unknown>>, path: Path): Fault | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of textsOf(schema.required)) {
    if (!Object.hasOwn(value, name)) return { path, problem: `missing field '${name}'`, name };
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = firstFault(property, value[name], [...path, name]);
    if (found) return found;
  }
  const patterns = isObject(schema.patternProperties)
    ? Object.entries(schema.patternProperties).map(([pattern, property]) => ({
        pattern: new RegExp(pattern, 'u'),
        property,
      }))
    : [];
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(properties, name)) continue;
    const matching = patterns.filter(({ pattern }) => pattern.test(name));
    for (const { property } of matching) {
      const found = firstFault(property, value[name], [...path, name]);
      if (found) return found;
    }
    if (matching.length > 0) continue;
    if (schema.additionalProperties === false) return { path, problem: `unknown field ${quote(name)}`, name };
    const found = firstFault(schema.additionalProperties, value[name], [...path, name]);
    if (found) return found;
  }
  const { minProperties, maxProperties } = schema;
  const count = Object.keys(value).length;
  if (typeof minProperties === 'number' && count < minProperties) {
    return fault(path, `expected at least ${plural(minProperties, 'field')}, got ${count}`);
  }
  if (typeof maxProperties === 'number' && count > maxProperties) {
    return fault(path, `expected at most ${plural(maxProperties, 'field')}, got ${count}`);
  }
  return undefined;
}

/** Whether `value` has the constants (`type: 'a'`) that discriminate this object of a union. */
const carriesConstantsOf = (choice: Schema, value: unknown): boolean =>
  isObject(value) &&
  isObject(choice.properties) &&
  Object.entries(choice.properties).every(
    ([name, property]) => !isObject(property) || !('const' in property) || property.const === value[name],
  );

/** The fault of a union is that of the intended alternative, if that can be determined; otherwise that no alternative matches. */
function choiceFault(schema: Schema, choices: readonly Schema[], value: unknown, path: Path): Fault | undefined {
  const faults = choices.map((choice) => firstFault(choice, value, path));
  if (faults.includes(undefined)) return undefined;
  const ofItsType = choices.filter(
    (choice) => typesOf(choice).some((type) => isType(value, type)) && !('const' in choice),
  );
  const fitting = ofItsType.length > 1 ? ofItsType.filter((choice) => carriesConstantsOf(choice, value)) : ofItsType;
  const [intended] = fitting;
  if (intended && fitting.length === 1) return firstFault(intended, value, path);
  return fault(path, `expected ${describeSchema(schema)}, got ${describeValue(schema, value)}`);
}

const expectsTexts = (schema: unknown): boolean =>
  isObject(schema) &&
  ('const' in schema || 'enum' in schema || schemasOf(schema.anyOf ?? schema.oneOf).some(expectsTexts));

const describeValue = (schema: unknown, value: unknown): string =>
  expectsTexts(schema) && typeof value !== 'object' ? quote(value) : typeName(value);

/**
 * The first fault of `value`, or undefined when there is none. It explains a rejection by the compiled check and does not replace it: it
 * ignores formats and references.
 */
export function firstFault(schema: unknown, value: unknown, path: Path = []): Fault | undefined {
  if (!isObject(schema)) return undefined;
  const mismatch = () => fault(path, `expected ${describeSchema(schema)}, got ${describeValue(schema, value)}`);
  if ('const' in schema && schema.const !== value) return mismatch();
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return mismatch();
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isType(value, type))) return mismatch();
  for (const part of schemasOf(schema.allOf)) {
    const found = firstFault(part, value, path);
    if (found) return found;
  }
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return choiceFault(schema, choices, value, path);
  if (typeof value === 'number') return numberFault(schema, value, path);
  if (typeof value === 'string') return stringFault(schema, value, path);
  if (Array.isArray(value)) return arrayFault(schema, value, path);
  return isObject(value) ? objectFault(schema, value, path) : undefined;
}

const plainName = /^[A-Za-z_$][\w$]*$/;

/** `$.tags[0]`, `$['a name']`; `$` is the whole value. */
export const jsonPath = (path: Path): string =>
  `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : plainName.test(step) ? `.${step}` : `[${quote(step)}]`)).join('')}`;

/** A fault as a sentence; the position is included only below the root. */
export const describeFault = ({ path, problem, name }: Fault): string =>
  path.length === 0 && name !== undefined ? problem : `${problem} at ${jsonPath(path)}`;

/** The field of an object that has the fault; undefined when the fault is that of the whole value. */
export const faultyField = ({ path: [first], name }: Fault): string | undefined =>
  typeof first === 'string' ? first : name;
