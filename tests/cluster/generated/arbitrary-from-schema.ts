import fc from 'fast-check';
import type { TSchema } from 'typebox';

/** Texts that make collisions, edge cases and injection attempts likely. */
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'yeast ramp', 'rx01', 'rx02', 'rx03', 'Control', 'Ramp') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'current', '__proto__', 'constructor', "'; drop table logs; --", '$broadcast'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
);

interface Plain {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

/** What depends on the state of the world rather than on the shape: named properties with their own values. */
export type Suggestions = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values that fit a schema of the contract. `onlySuggested`: where there is a suggestion, nothing else. */
export function fitting(schema: TSchema, suggestions: Suggestions = {}, onlySuggested = false): fc.Arbitrary<unknown> {
  const plain: Plain = schema;
  if (plain.const !== undefined) return fc.constant(plain.const);
  if (plain.anyOf) return fc.oneof(...plain.anyOf.map((one) => fitting(one, suggestions, onlySuggested)));
  switch (plain.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: -2, max: 1000 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'string':
      return texts;
    case 'array':
      return fc.array(plain.items ? fitting(plain.items, suggestions, onlySuggested) : fc.jsonValue(), {
        maxLength: 4,
      });
    default:
      return fittingObject(plain, suggestions, onlySuggested);
  }
}

function fittingObject(
  { properties = {}, required = [] }: Plain,
  suggestions: Suggestions,
  onlySuggested: boolean,
): fc.Arbitrary<object> {
  const fields: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const usual = { weight: onlySuggested ? 0 : 1, arbitrary: fitting(schema, suggestions, onlySuggested) };
    const suggested = suggestions[name];
    fields[name] = suggested ? fc.oneof({ weight: 5, arbitrary: suggested }, usual) : usual.arbitrary;
  }
  return fc.record(fields, { requiredKeys: Object.keys(properties).filter((name) => required.includes(name)) });
}

/** Bodies that rarely fit: anything JSON, or a fitting one with a field too many. */
export const unfitting = (schema: TSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fitting(schema).map((value) => ({ ...(typeof value === 'object' ? value : {}), surplus: 1 })),
  );
