import { protocolsWords } from '../words/protocols.ts';
import type { YamlPlace, YamlStep } from './yaml-place.ts';

/** What may be entered at a place. */
export interface Suggestion {
  /** As it is shown. */
  readonly label: string;
  /** As it is entered. */
  readonly text: string;
  readonly description: string | undefined;
}

/** Names that the schema does not know. */
export interface KnownNames {
  readonly jobs: readonly string[];
  readonly units: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const partOf = (schema: Schema, name: string): Schema => {
  const part = schema[name];
  return isSchema(part) ? part : {};
};

const listOf = (schema: Schema, name: string): readonly unknown[] => {
  const part = schema[name];
  return Array.isArray(part) ? part : [];
};

const textIn = (schema: Schema, name: string): string | undefined => {
  const part = schema[name];
  return typeof part === 'string' ? part : undefined;
};

/** Whether a branch of the schema is for other types of actions. */
function isForOther(branch: Schema, type: string | undefined): boolean {
  const wanted = partOf(partOf(partOf(branch, 'if'), 'properties'), 'type').const;
  return type !== undefined && wanted !== undefined && wanted !== type;
}

/** A schema with all that it refers to, and with the branches for items of a type. */
function expanded(root: Schema, schema: Schema, type: string | undefined): readonly Schema[] {
  const name = /^#\/\$defs\/(\w+)$/.exec(textIn(schema, '$ref') ?? '')?.[1];
  const referred = name === undefined ? [] : expanded(root, partOf(partOf(root, '$defs'), name), type);
  const branches = listOf(schema, 'allOf')
    .filter(isSchema)
    .filter((branch) => !isForOther(branch, type))
    .flatMap((branch) => expanded(root, partOf(branch, 'then'), type));
  return [schema, ...referred, ...branches];
}

function next(root: Schema, schemas: readonly Schema[], step: YamlStep): readonly Schema[] {
  const parts = schemas.flatMap((schema) => {
    if (step.is === 'item') return [schema.items];
    return [partOf(schema, 'properties')[step.name] ?? schema.additionalProperties];
  });
  return parts.filter(isSchema).flatMap((part) => expanded(root, part, step.is === 'item' ? step.type : undefined));
}

const holdsMore = (root: Schema, schema: Schema): boolean =>
  expanded(root, schema, undefined).some(({ type }) =>
    ['object', 'array'].some((each) => type === each || (Array.isArray(type) && type.includes(each))),
  );

function keysIn(root: Schema, schemas: readonly Schema[]): readonly Suggestion[] {
  const known = new Map<string, Suggestion>();
  for (const schema of schemas)
    for (const [label, part] of Object.entries(partOf(schema, 'properties')))
      if (isSchema(part)) {
        const text = holdsMore(root, part) ? `${label}:` : `${label}: `;
        // The branches of a type describe it better than what all types have in common.
        if (known.get(label)?.description === undefined)
          known.set(label, { label, text, description: textIn(part, 'description') });
      }
  return [...known.values()];
}

/** A text that YAML would read as something else needs quotes. */
const quoted = (value: string): string => (/^[\d.]+$|^(true|false|null)$/.test(value) ? `"${value}"` : value);

function valuesIn(schemas: readonly Schema[]): readonly Suggestion[] {
  const values = schemas.flatMap((schema) => [schema.const, ...listOf(schema, 'enum')]);
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  return texts.map((label) => {
    const own = schemas.find((schema) => schema.const === label);
    return { label, text: quoted(label), description: own && textIn(own, 'description') };
  });
}

const namesAs = (names: readonly string[], description: string): readonly Suggestion[] =>
  names.map((label) => ({ label, text: `${label}:`, description }));

/** What the JSON Schema of profiles allows at a place. */
export function suggestionsAt(root: Schema, { path, entering, taken }: YamlPlace, names: KnownNames) {
  const schemas = path.reduce((all, step) => next(root, all, step), expanded(root, root, undefined));
  if (entering === 'value') {
    const key = path.at(-1);
    const item = path.at(-2);
    // All types of actions, also when the present one is a word of another type.
    const isType = key?.is === 'key' && key.name === 'type' && item?.is === 'item';
    const whole: readonly YamlStep[] = isType ? [...path.slice(0, -2), { is: 'item', type: undefined }, key] : path;
    return valuesIn(whole.reduce((all, step) => next(root, all, step), expanded(root, root, undefined)));
  }
  const last = path.at(-1);
  const mapping = last?.is === 'key' ? last.name : undefined;
  const named = [
    ...(mapping === 'jobs' ? namesAs(names.jobs, protocolsWords.aJob) : []),
    ...(mapping === 'reactors' || mapping === 'pioreactors' ? namesAs(names.units, protocolsWords.aUnit) : []),
  ];
  return [...named, ...keysIn(root, schemas)].filter(({ label }) => !taken.has(label));
}
