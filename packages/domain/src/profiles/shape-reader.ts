import type { Json } from '@lcs/contract';
import type { Located, Position } from '../yaml/locate-yaml.ts';
import type { ProfileDiagnosticCode, ProfileFinding } from './diagnostic.ts';

type Scalar = string | number | boolean | null;

/** A value of the text and its path in the profile. */
export interface Place {
  readonly path: string;
  readonly value: Located;
}

/** What a key may hold: a word for people, and how it is read. Undefined: it does not fit, and that has been said. */
export type Read<Result> = (place: Place) => Result | undefined;

const nameOf: Readonly<Record<Located['kind'], string>> = { map: 'a map', list: 'a list', scalar: 'one value' };

/** Characters of a value that a message repeats. */
const mostShown = 60;

const shown = (value: Located): string => {
  if (value.kind !== 'scalar') return nameOf[value.kind];
  if (value.value === null) return 'nothing';
  const text = JSON.stringify(value.value);
  // A file of another kind may be one long text.
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
};

const pathOf = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

/** Reads values of a located text against what is expected, and writes down what does not fit. */
export class ShapeReader {
  readonly findings: ProfileFinding[] = [];
  /** Where each path stands in the text: the key of an entry, else the value. */
  readonly positions = new Map<string, Position>();

  fault(path: string, code: ProfileDiagnosticCode, message: string, hint?: string): undefined {
    this.findings.push({ severity: 'error', code, message, path, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }

  wrongType(place: Place, wanted: string, hint?: string): undefined {
    return this.fault(place.path, 'schema.type', `This must be ${wanted}, not ${shown(place.value)}.`, hint);
  }

  /** The entries of a map; null counts as an empty one. */
  entries(place: Place, wanted = 'a map'): readonly (Place & { readonly key: string })[] | undefined {
    const { value, path } = place;
    if (value.kind === 'scalar' && value.value === null) return [];
    if (value.kind !== 'map') return this.wrongType(place, wanted);
    return [...value.entries].map(([key, entry]) => {
      const own = pathOf(path, key);
      this.positions.set(own, entry.at);
      return { key, path: own, value: entry.value };
    });
  }

  items(place: Place): readonly Place[] | undefined {
    const { value, path } = place;
    if (value.kind === 'scalar' && value.value === null) return [];
    if (value.kind !== 'list') return this.wrongType(place, 'a list');
    return value.items.map((item, index) => {
      const own = pathOf(path, index);
      this.positions.set(own, item.at);
      return { path: own, value: item };
    });
  }

  /** A map with known keys. `required` ones must be there; unknown ones are faults unless `isOpen`. */
  fields(
    place: Place,
    known: readonly string[],
    { required = [], isOpen = false }: { readonly required?: readonly string[]; readonly isOpen?: boolean } = {},
  ): ReadonlyMap<string, Place> | undefined {
    const entries = this.entries(place);
    if (entries === undefined) return undefined;
    const fields = new Map<string, Place>();
    for (const { key, path, value } of entries) {
      if (known.includes(key)) fields.set(key, { path, value });
      else if (!isOpen) this.#unknownKey(path, key, known);
    }
    for (const key of required) {
      if (!fields.has(key)) this.fault(place.path, 'schema.missing', `The key '${key}' is missing.`);
    }
    return fields;
  }

  text: Read<string> = (place) => {
    const { value } = place;
    if (value.kind === 'scalar' && typeof value.value === 'string') return value.value;
    return this.wrongType(place, 'a text', value.kind === 'scalar' ? 'Put it in quotes.' : undefined);
  };

  scalar(place: Place, wanted: string, fits: (value: Scalar) => boolean): Scalar | undefined {
    const { value } = place;
    return value.kind === 'scalar' && fits(value.value) ? value.value : this.wrongType(place, wanted);
  }

  /** Anything, as JSON. */
  json: Read<Json> = ({ value }) => jsonOf(value);

  list<Item>(place: Place, read: Read<Item>): readonly Item[] | undefined {
    const items = this.items(place);
    return items?.map(read).filter((item) => item !== undefined);
  }

  /** A map of things of one kind, by name. */
  record<Value>(place: Place, read: Read<Value>): Readonly<Record<string, Value>> | undefined {
    const entries = this.entries(place);
    if (entries === undefined) return undefined;
    return Object.fromEntries(
      entries.flatMap(({ key, path, value }): [string, Value][] => {
        const read_value = read({ path, value });
        return read_value === undefined ? [] : [[key, read_value]];
      }),
    );
  }

  #unknownKey(path: string, key: string, known: readonly string[]): void {
    const hint = `Keys that are known here: ${known.join(', ')}.`;
    this.fault(path, 'schema.unknown_key', `There is no key '${key}' here.`, hint);
  }
}

function jsonOf(value: Located): Json {
  switch (value.kind) {
    case 'scalar':
      return value.value;
    case 'list':
      return value.items.map(jsonOf);
    case 'map':
      return Object.fromEntries([...value.entries].map(([key, entry]) => [key, jsonOf(entry.value)]));
  }
}
