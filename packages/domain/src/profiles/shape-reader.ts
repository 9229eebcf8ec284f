import type { Json } from '@lcs/contract';
import { nameHint } from '../names/name-hint.ts';
import type { Located, Position } from '../yaml/locate-yaml.ts';
import { maxFindings, type ProfileDiagnosticCode, type ProfileFinding } from './diagnostic.ts';
import { shortened } from './shortened.ts';

type Scalar = string | number | boolean | null;

/** A value of the text and its path in the profile. */
export interface Place {
  readonly path: string;
  readonly value: Located;
}

/** Reads the value of a key; undefined: not valid, and reported. */
export type Read<Result> = (place: Place) => Result | undefined;

const nameOf: Readonly<Record<Located['kind'], string>> = { map: 'a map', list: 'a list', scalar: 'one value' };

const shown = (value: Located): string => {
  if (value.kind !== 'scalar') return nameOf[value.kind];
  if (value.value === null) return 'nothing';
  return shortened(JSON.stringify(value.value));
};

const pathOf = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

/** Reads the values of a parsed text and records a finding for each value that is not valid. */
export class ShapeReader {
  readonly findings: ProfileFinding[] = [];
  /** The position of each path in the text: that of the key of an entry, else of the value. */
  readonly positions = new Map<string, Position>();

  fault(path: string, code: ProfileDiagnosticCode, message: string, hint?: string): undefined {
    this.findings.push({ severity: 'error', code, message, path, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }

  wrongType(place: Place, expected: string, hint?: string): undefined {
    return this.fault(place.path, 'schema.type', `The value must be ${expected}, not ${shown(place.value)}.`, hint);
  }

  /** The entries of a map; null counts as an empty one. */
  entries(place: Place, expected = 'a map'): readonly (Place & { readonly key: string })[] | undefined {
    const { value, path } = place;
    if (value.kind === 'scalar' && value.value === null) return [];
    if (value.kind !== 'map') return this.wrongType(place, expected);
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

  /** A map with known keys. `required` keys must be present; unknown keys are errors unless `isOpen`. */
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

  scalar(place: Place, expected: string, fits: (value: Scalar) => boolean): Scalar | undefined {
    const { value } = place;
    return value.kind === 'scalar' && fits(value.value) ? value.value : this.wrongType(place, expected);
  }

  /** Anything, as JSON. */
  json: Read<Json> = ({ value }) => jsonOf(value);

  list<Item>(place: Place, read: Read<Item>): readonly Item[] | undefined {
    const items = this.items(place);
    return items?.map(read).filter((item) => item !== undefined);
  }

  /** A map of values of one type, by name. */
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
    // More findings are not shown.
    const hint = this.findings.length < maxFindings ? nameHint(key, known) : undefined;
    this.fault(path, 'schema.unknown_key', `The key '${shortened(key)}' is unknown here.`, hint);
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
