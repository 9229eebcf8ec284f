import type { OpenApiSchema } from '@lcs/contract';
import { anchorOf, code } from './markdown.ts';

const isSchema = (value: unknown): value is OpenApiSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasOf = (value: unknown): readonly OpenApiSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

export const propertiesOf = (schema: OpenApiSchema): readonly (readonly [string, OpenApiSchema])[] =>
  isSchema(schema.properties)
    ? Object.entries(schema.properties).flatMap(([name, property]) => (isSchema(property) ? [[name, property]] : []))
    : [];

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}';
const instant = '^\\d{4}-\\d{2}-\\d{2}T';

function numberText({ type, minimum, maximum, exclusiveMinimum }: OpenApiSchema): string {
  const above = exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`;
  const least = minimum === undefined ? above : `≥ ${minimum}`;
  if (minimum !== undefined && maximum !== undefined) return `${type} ${minimum}…${maximum}`;
  const limits = [least, maximum === undefined ? undefined : `≤ ${maximum}`].filter((limit) => limit !== undefined);
  return [type, ...limits].join(' ');
}

function stringText({ pattern, format, maxLength, minLength }: OpenApiSchema): string {
  if (typeof pattern === 'string' && pattern.includes(uuid)) return 'UUID';
  if (typeof pattern === 'string' && pattern.startsWith(instant)) return 'instant';
  if (format === 'uuid') return 'UUID';
  if (format === 'binary') return 'file';
  const usual = maxLength === undefined || maxLength === 10_000;
  const longest = usual ? [] : [`at most ${maxLength} characters`];
  return ['string', ...(minLength === undefined ? [] : ['not empty']), ...longest].join(', ');
}

function unionText(parts: readonly OpenApiSchema[], shapes: string): string {
  const isNull = (part: OpenApiSchema) => part.type === 'null';
  const values = parts.filter((part) => !isNull(part)).map((part) => typeText(part, shapes));
  return [...new Set(values), ...(parts.some(isNull) ? ['null'] : [])].join(' or ');
}

/** The type of a schema in words; `shapes` is the page of the shapes that have a title. */
export function typeText(schema: OpenApiSchema, shapes: string): string {
  if (typeof schema.$ref === 'string') {
    const title = schema.$ref.split('/').at(-1) ?? '';
    return `[${title}](${shapes}#${anchorOf(title)})`;
  }
  if ('const' in schema) return code(JSON.stringify(schema.const).replaceAll('"', ''));
  if (schema.anyOf !== undefined) return unionText(schemasOf(schema.anyOf), shapes);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(' or ');
  switch (schema.type) {
    case 'array':
      return isSchema(schema.items) ? `array of ${typeText(schema.items, shapes)}` : 'array';
    case 'object': {
      const [values] = isSchema(schema.patternProperties) ? schemasOf(Object.values(schema.patternProperties)) : [];
      return values === undefined ? 'object' : `object of name → ${typeText(values, shapes)}`;
    }
    case 'number':
    case 'integer':
      return numberText(schema);
    case 'string':
      return stringText(schema);
    case undefined:
      return 'any JSON';
    default:
      return String(schema.type);
  }
}

/** The objects inside a schema that have fields of their own, each with what precedes the names of its fields. */
function fieldHolders(schema: OpenApiSchema, prefix: string): readonly (readonly [OpenApiSchema, string])[] {
  if (propertiesOf(schema).length > 0) return [[schema, `${prefix}.`]];
  if (isSchema(schema.items)) return fieldHolders(schema.items, `${prefix}[]`);
  if (isSchema(schema.patternProperties)) {
    return schemasOf(Object.values(schema.patternProperties)).flatMap((each) => fieldHolders(each, `${prefix}.*`));
  }
  return schemasOf(schema.anyOf).flatMap((part) => fieldHolders(part, prefix));
}

/** The description of a schema, or of the part of it that is not null. */
function descriptionOf(schema: OpenApiSchema): string {
  const own = [schema, ...schemasOf(schema.anyOf)].map(({ description }) => description);
  const described = own.find((text) => typeof text === 'string') ?? '';
  const preset = schema.default === undefined ? '' : ` Default ${code(String(schema.default))}.`;
  return `${described}${preset === '' || described === '' || /[.!?]$/.test(described) ? '' : '.'}${preset}`.trim();
}

/** A row for each field: name, type, meaning. Fields of inner objects follow their object. */
export function fieldRows(schema: OpenApiSchema, shapes: string, prefix = ''): readonly (readonly string[])[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return propertiesOf(schema).flatMap(([name, property]) => {
    const full = `${prefix}${name}`;
    const type = `${typeText(property, shapes)}${required.includes(name) ? '' : ', optional'}`;
    const inner = fieldHolders(property, full).flatMap(([held, start]) => fieldRows(held, shapes, start));
    return [[code(full), type, descriptionOf(property)], ...inner];
  });
}
