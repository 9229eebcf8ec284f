import type { TSchema } from 'typebox';

type PlainSchema = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is PlainSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose value is data, not a schema: what looks like a title in them is none. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'required']);

/** Keywords whose value is a map from names to schemas: a property may itself be called `title`. */
const mapKeywords = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas']);

/** Names in `components` may hold letters, digits, dots, dashes and underscores only. */
const componentName = (title: string): string => title.replaceAll(/[^A-Za-z0-9._-]+/g, '_');

/** Collects the titled schemas of a document, so that each is written once and referred to. */
export class SchemaComponents {
  readonly #schemas = new Map<string, PlainSchema>();
  readonly #texts = new Map<string, string>();

  /** All titled schemas placed so far, by name. */
  get schemas(): Readonly<Record<string, PlainSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema as it stands in a document: a reference when it has a title, with the same done inside it. */
  place(schema: TSchema): PlainSchema {
    return this.#place(schema);
  }

  #place(schema: unknown): PlainSchema {
    if (!isRecord(schema)) return {};
    if (typeof schema.title !== 'string') return this.#inside(schema);
    const name = componentName(schema.title);
    const text = JSON.stringify(schema);
    const known = this.#texts.get(name);
    if (known === undefined) {
      this.#texts.set(name, text);
      this.#schemas.set(name, this.#inside(schema));
    } else if (known !== text) {
      throw new Error(`Two different schemas bear the title ${schema.title}.`);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #inside(schema: PlainSchema): PlainSchema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#keyword(keyword, value)]),
    );
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (dataKeywords.has(keyword)) return value;
    if (mapKeywords.has(keyword) && isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, this.#place(property)]));
    }
    if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? this.#place(item) : item));
    return isRecord(value) ? this.#place(value) : value;
  }
}
