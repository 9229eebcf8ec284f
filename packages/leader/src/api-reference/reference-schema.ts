import type { OpenApiDocument, OpenApiSchema } from '@lcs/contract';
import { type Html, type HtmlPart, html } from './html.ts';

const isSchema = (value: unknown): value is OpenApiSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasOf = (value: unknown): readonly OpenApiSchema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

const propertiesOf = (schema: OpenApiSchema): readonly (readonly [string, OpenApiSchema])[] =>
  isSchema(schema.properties)
    ? Object.entries(schema.properties).map(([name, property]) => [name, isSchema(property) ? property : {}] as const)
    : [];

const isRequired = (schema: OpenApiSchema, name: string): boolean =>
  Array.isArray(schema.required) && schema.required.includes(name);

const referredName = (schema: OpenApiSchema): string | undefined =>
  typeof schema.$ref === 'string' ? schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1) : undefined;

const join = (parts: readonly HtmlPart[], separator: string): HtmlPart[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));

const limitTexts: readonly (readonly [string, string])[] = [
  ['minimum', '≥'],
  ['exclusiveMinimum', '>'],
  ['maximum', '≤'],
  ['exclusiveMaximum', '<'],
  ['minLength', 'length ≥'],
  ['maxLength', 'length ≤'],
  ['minItems', 'items ≥'],
  ['maxItems', 'items ≤'],
  ['pattern', 'matches'],
  ['format', 'format'],
  ['default', 'default'],
];

function limitsOf(schema: OpenApiSchema): string {
  const limits = limitTexts.flatMap(([keyword, words]) => {
    const value = schema[keyword];
    return value === undefined ? [] : [`${words} ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  return limits.length > 0 ? ` (${limits.join(', ')})` : '';
}

function objectType(schema: OpenApiSchema): Html {
  const fields = propertiesOf(schema).map(
    ([name, property]) => html`${name}${isRequired(schema, name) ? '' : '?'}: ${schemaType(property)}`,
  );
  const others = isSchema(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const open = [...others, schema.additionalProperties].filter(isSchema);
  const all = [...fields, ...open.map((property) => html`[name]: ${schemaType(property)}`)];
  return all.length === 0 ? html`object` : html`{ ${join(all, ', ')} }`;
}

/** A schema as a short type expression; named schemas are links. */
export function schemaType(schema: unknown): Html {
  if (!isSchema(schema)) return html`any`;
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum)) return html`${schema.enum.map((value) => JSON.stringify(value)).join(' | ')}`;
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return html`${join(choices.map(schemaType), ' | ')}`;
  const parts = schemasOf(schema.allOf);
  if (parts.length > 0) return html`${join(parts.map(schemaType), ' & ')}`;
  if (schema.type === 'array') return html`list of ${schemaType(schema.items)}${limitsOf(schema)}`;
  if (schema.type === 'object') return objectType(schema);
  const types = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type;
  return html`${typeof types === 'string' ? types : 'any'}${limitsOf(schema)}`;
}

const descriptionOf = (schema: OpenApiSchema): string =>
  typeof schema.description === 'string' ? schema.description : '';

/** The fields of an object as a table; any other schema as its type. */
export function schemaShape(schema: unknown): Html {
  const properties = isSchema(schema) ? propertiesOf(schema) : [];
  if (!isSchema(schema) || properties.length === 0) return html`<p><code>${schemaType(schema)}</code></p>`;
  const rows = properties.map(
    ([name, property]) => html`
<tr><th scope="row"><code>${name}</code>${isRequired(schema, name) ? '' : html` <span class="note">optional</span>`}</th>
<td><code>${schemaType(property)}</code></td><td>${descriptionOf(property)}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

const deepestExample = 6;

/** A value that a schema allows, as simple as possible, for examples. */
export function exampleOf(schema: unknown, document: OpenApiDocument, depth = 0): unknown {
  if (!isSchema(schema) || depth > deepestExample) return null;
  const name = referredName(schema);
  if (name !== undefined) return exampleOf(document.components.schemas[name], document, depth + 1);
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [choice] = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choice) return exampleOf(choice, document, depth + 1);
  if (schema.type === 'array') return [exampleOf(schema.items, document, depth + 1)];
  if (schema.type === 'object') return exampleObject(schema, document, depth);
  if (schema.type === 'integer' || schema.type === 'number') {
    return typeof schema.minimum === 'number' ? schema.minimum : 1;
  }
  return schema.type === 'boolean' ? true : schema.type === 'string' ? '…' : null;
}

/** The required fields; the first one when none is required. */
function exampleObject(schema: OpenApiSchema, document: OpenApiDocument, depth: number): unknown {
  const properties = propertiesOf(schema);
  const required = properties.filter(([name]) => isRequired(schema, name));
  const shown = required.length > 0 ? required : properties.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, document, depth + 1)]));
}
