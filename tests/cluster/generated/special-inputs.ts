import { ownValue, type RouteDeclaration } from '@lcs/contract';
import fc from 'fast-check';
import { prototypeNames } from './known.ts';
import type { Target } from './requests.ts';
import type { Given } from './suggestions/given.ts';

/** Kinds of input that a program can easily treat wrongly. Each must occur in a run. */
export const inputKinds = ['aliases', 'deep nesting', 'prototype names', 'dot segments'] as const;
export type InputKind = (typeof inputKinds)[number];

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPrototypeName = (text: unknown): boolean => prototypeNames.some((name) => name === text);

/** Whether such a name is a key or a value anywhere inside. */
const hasPrototypeName = (value: unknown): boolean =>
  isPrototypeName(value) ||
  (typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, one]) => isPrototypeName(key) || hasPrototypeName(one)));

/** Which kinds occur in a request. */
export function kindsIn({ special, params, query, body }: Given): ReadonlySet<InputKind> {
  const kinds = new Set<InputKind>();
  if (special !== undefined) kinds.add(special.kind);
  if (hasPrototypeName([params, query, body])) kinds.add('prototype names');
  return kinds;
}

/** One request of each kind that is possible with this operation and what it would be sent. */
type Make = (target: Target, given: Given) => fc.Arbitrary<Given> | undefined;

/** As a whole segment they mean another folder. Of those with a slash the named route receives a text. */
const wholeDots = ['.', '..', '%2e', '%2E', '%2e%2e', '.%2e', '%2E.'];
const dotsAndSlash = ['..%2f', '%2e%2e%2f', '..%2F..%2f..%2Fetc', '.%2fx', '..%5c'];

const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** At the end of a path of folders one dot is the folder that the route serves. */
const isItself = ({ takesRest }: RouteDeclaration, dots: string): boolean =>
  takesRest === true && decodeURIComponent(dots) === '.';

const withDots: Make = ({ route }, given) => {
  const names = pathParameters(route.path);
  if (names.length === 0) return undefined;
  return fc.tuple(fc.constantFrom(...names), fc.constantFrom(...wholeDots, ...dotsAndSlash)).map(([name, dots]) => ({
    ...given,
    params: { ...given.params, [name]: decodeURIComponent(dots) },
    rawParams: { [name]: dots },
    special: { kind: 'dot segments', mustFail: wholeDots.includes(dots) && !isItself(route, dots) },
  }));
};

/** Guaranteed levels of JSON. The limits are repeated here: a run must fail when one is changed. */
const deepestJson = 100;
/** Below and above; the deepest would exceed the stack of a recursive parser. */
const depths = [deepestJson / 4, deepestJson - 1, deepestJson, deepestJson + 1, 1000, 20_000];

const nestedJson = (depth: number, isList: boolean): string =>
  isList ? `${'['.repeat(depth)}${']'.repeat(depth)}` : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Stands where the nested text belongs. */
const marker = '"here is nested text"';

function nestedBody(body: unknown, key: string, nested: string): string {
  const around = JSON.stringify({ ...(isFields(body) ? body : {}), [key]: JSON.parse(marker) });
  return around.replace(marker, () => nested);
}

const withNestedJson: Make = ({ route }, given) => {
  if (!route.body || route.method === 'GET' || given.file) return undefined;
  const keys = [...Object.keys(route.body.properties), 'deep'];
  return fc
    .tuple(fc.constantFrom(...depths), fc.boolean(), fc.option(fc.constantFrom(...keys), { freq: 4 }))
    .map(([depth, isList, key]) => {
      const levels = key === null ? depth : depth + 1;
      const nested = nestedJson(depth, isList);
      const rawBody = key === null ? nested : nestedBody(given.body, key, nested);
      const mustFail = levels > deepestJson;
      const special = { kind: 'deep nesting', mustFail } as const;
      return { ...given, rawBody, body: mustFail ? undefined : JSON.parse(rawBody), special };
    });
};

/** Another value of one of these would look for machines in the network, or move the unit to another experiment. */
const keepValues: readonly string[] = ['setUpWorker', 'putDesired'];

/** All requests with a prototype name in one place of the given one. */
function* prototypeNamed({ operation, route }: Target, given: Given, name: string): Generator<Given> {
  const { params, query, body } = given;
  for (const key of pathParameters(route.path)) yield { ...given, params: { ...params, [key]: name } };
  for (const key of Object.keys(query ?? {})) yield { ...given, query: { ...query, [key]: name } };
  if (!isFields(body)) return;
  yield { ...given, body: { ...body, [name]: 1 } };
  for (const [key, value] of Object.entries(body)) {
    if (isFields(value)) yield { ...given, body: { ...body, [key]: { ...value, [name]: name } } };
    if (keepValues.includes(operation)) continue;
    if (typeof value === 'string') yield { ...given, body: { ...body, [key]: name } };
    if (Array.isArray(value)) yield { ...given, body: { ...body, [key]: [...value, name] } };
  }
}

const withPrototypeName: Make = (target, given) => {
  const all = prototypeNames.flatMap((name) => [...prototypeNamed(target, given, name)]);
  if (all.length === 0) return undefined;
  return fc.constantFrom(...all).map((one) => ({ ...one, special: { kind: 'prototype names', mustFail: false } }));
};

/** Fields that carry YAML, by operation, with a key of the text whose value may be anything. */
const yamlFields: Readonly<Record<string, { readonly field: string; readonly key: string }>> = {
  ...Object.fromEntries(
    [
      ...['createExperimentProfile', 'createContributedProfile', 'saveExperimentProfile', 'saveContributedProfile'],
      'checkExperimentProfile',
    ].map((operation) => [operation, { field: 'body', key: 'inputs' }]),
  ),
  createUnitCalibration: { field: 'calibration_data', key: 'further' },
  createCalibration: { field: 'calibration_data', key: 'further' },
  createUnitEstimator: { field: 'estimator_data', key: 'further' },
  createEstimator: { field: 'estimator_data', key: 'further' },
};

export const takesYaml = ({ operation }: Target): boolean => Object.hasOwn(yamlFields, operation);

interface YamlValue {
  readonly text: string;
  /** Beyond the limits of `packages/domain/src/yaml`. */
  readonly mustFail: boolean;
}

const aliases = (count: number): string => `{first: &first 1, all: [${Array(count).fill('*first').join(', ')}]}`;

/** Each list has ten times the values of the one before. */
const multiplied = (levels: number): string => {
  const lists = Array.from(
    { length: levels },
    (_, level) =>
      `l${level}: &l${level} [${Array(10)
        .fill(level === 0 ? '1' : `*l${level - 1}`)
        .join(', ')}]`,
  );
  return `{${lists.join(', ')}}`;
};

/** An estimator has an alias of its own. */
const mostAliases = 1000 - 1;

/** The name of each text has the anchor `name`. */
const aliasValues: readonly YamlValue[] = [
  { text: '{again: *name}', mustFail: false },
  { text: aliases(1), mustFail: false },
  { text: aliases(20), mustFail: false },
  { text: multiplied(2), mustFail: false },
  { text: aliases(mostAliases), mustFail: false },
  { text: aliases(mostAliases + 2), mustFail: true },
  { text: aliases(8000), mustFail: true },
  { text: multiplied(9), mustFail: true },
  { text: '{a: &a [*a]}', mustFail: true },
  { text: '{a: *nobody}', mustFail: true },
];

/** Lines, each indented further than the one before. */
const indented = (depth: number): string =>
  `\n${Array.from({ length: depth }, (_, level) => `${' '.repeat(level + 1)}a:`).join('\n')} 1`;

const nestedValues: readonly YamlValue[] = [
  { text: `{a: ${'['.repeat(40)}${']'.repeat(40)}}`, mustFail: false },
  { text: indented(40), mustFail: false },
  { text: `{a: ${'['.repeat(51)}${']'.repeat(51)}}`, mustFail: true },
  { text: indented(300), mustFail: true },
  { text: `${'{a: '.repeat(2000)}1${'}'.repeat(2000)}`, mustFail: true },
  { text: `{a: ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, mustFail: true },
];

const withYaml =
  (kind: InputKind, values: readonly YamlValue[]): Make =>
  ({ operation }, given) => {
    const place = ownValue(yamlFields, operation);
    if (place === undefined || !isFields(given.body)) return undefined;
    const { body } = given;
    const { field, key } = place;
    const before = String(body[field]).replace(/^\w+_name: /m, '$&&name ');
    return fc.constantFrom(...values).map(({ text, mustFail }) => ({
      ...given,
      body: { ...body, [field]: `${before}${key}: ${text}\n` },
      // A check of a text succeeds whatever the text is.
      special: { kind, mustFail: mustFail && operation !== 'checkExperimentProfile' },
    }));
  };

const makers: readonly (readonly [weight: number, make: Make])[] = [
  [1, withDots],
  [1, withNestedJson],
  [1, withPrototypeName],
  [3, withYaml('aliases', aliasValues)],
  [2, withYaml('deep nesting', nestedValues)],
];

/** The request with one input of a special kind. */
export function specialised(target: Target, given: Given): fc.Arbitrary<Given> {
  const possible = makers.flatMap(([weight, make]) => {
    const arbitrary = make(target, given);
    return arbitrary === undefined ? [] : [{ weight, arbitrary }];
  });
  return possible.length === 0 ? fc.constant(given) : fc.oneof(...possible);
}
