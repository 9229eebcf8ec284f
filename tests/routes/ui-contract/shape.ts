/**
 * What a client reads of an answer. A text names kinds, joined by ` | `; what is no kind is the JSON of the one value that
 * may stand there. A list stands for a non-empty list all of whose elements have the shape. Keys of an object must be there;
 * `*` means every key (one at least), a key that ends in `?` may be missing, `...` stands for any further ones.
 */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape };

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  time: (value) => typeof value === 'string' && time.test(value),
  uuid: (value) => typeof value === 'string' && uuid.test(value),
  list: (value) => Array.isArray(value),
  object: (value) => isObject(value),
  'INI text': (value) => typeof value === 'string' && /^\[[^\]\n]+\]$/m.test(value),
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOfKind = (value: unknown, kind: string): boolean =>
  kinds[kind]?.(value) ?? (value === undefined ? false : JSON.stringify(value) === kind);

/** Differences between the value and the shape: one line each, with the path. */
export function faults(value: unknown, shape: Shape, path = ''): readonly string[] {
  if (typeof shape === 'string') {
    if (shape.split(' | ').some((kind) => isOfKind(value, kind))) return [];
    return [`${path || 'it'} is no ${shape} but ${JSON.stringify(value)?.slice(0, 100)}`];
  }
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [`${path || 'it'} is no list with elements`];
    return value.flatMap((each, at) => faults(each, shape[0], `${path}[${at}]`));
  }
  if (!isObject(value)) return [`${path || 'it'} is no object but ${JSON.stringify(value)?.slice(0, 100)}`];
  return Object.entries(shape).flatMap(([key, of]) => (key === '...' ? [] : faultsOfKey(value, key, of, path)));
}

function faultsOfKey(
  value: Readonly<Record<string, unknown>>,
  key: string,
  shape: Shape,
  path: string,
): readonly string[] {
  if (key === '*') {
    const names = Object.keys(value);
    if (names.length === 0) return [`${path || 'it'} has no key`];
    return names.flatMap((name) => faults(value[name], shape, `${path}.${name}`));
  }
  const name = key.replace(/\?$/, '');
  if (name !== key && !(name in value)) return [];
  return faults(value[name], shape, `${path}.${name}`);
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

/** Keys that are not in the shape, with their path; `...` allows them. */
export function furtherKeys(value: unknown, shape: Shape, path = ''): readonly string[] {
  if (typeof shape === 'string') return [];
  if (isList(shape)) {
    return Array.isArray(value) ? value.flatMap((each, at) => furtherKeys(each, shape[0], `${path}[${at}]`)) : [];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, of]) => {
    const known = shape[key] ?? shape[`${key}?`] ?? shape['*'];
    if (known !== undefined) return furtherKeys(of, known, `${path}.${key}`);
    return '...' in shape ? [] : [`${path}.${key}`];
  });
}

/** The shape as a person reads it: `[{experiment: text, tags: list}]`. */
export function shownShape(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (isList(shape)) return `[${shownShape(shape[0])}]`;
  return `{${Object.entries(shape)
    .map(([key, of]) => `${key}: ${shownShape(of)}`)
    .join(', ')}}`;
}
