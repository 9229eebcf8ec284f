import { type Api, leaderApi, type RouteDeclaration, unitApi } from '@lcs/contract';

/** A request with a large body, made as bad as its kind allows. */
export interface WorstInput {
  /** Inputs of one kind are one row. */
  readonly kind: string;
  readonly name: string;
  readonly node: 'leader' | 'unit';
  readonly method: string;
  readonly path: string;
  /** Made when it is sent: all of them together are large. */
  readonly body?: () => string;
}

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** As many repetitions as stay within a length. */
const upTo = (length: number, text: string): string => text.repeat(Math.floor(length / text.length));

const largestBody = 2 * 1024 * 1024;
const largestYaml = 262_144;
const largestIni = 131_072;

/** Values of JSON near the limit of a body; the text of the value, of at most `length` characters. */
const jsonShapes: Readonly<Record<string, (length: number) => string>> = {
  numbers: (length) => `[${upTo(length - 4, '1,')}1]`,
  'empty objects': (length) => `[${upTo(length - 6, '{},')}{}]`,
  'objects with other keys': (length) => `[${lines(length / 14, (index) => `{"${index}":1},`)}1]`,
  keys: (length) => `{${lines(length / 14, (index) => `"k${index}":1,`)}"k":1}`,
  'nested lists': (length) => `[${upTo(length - 202, `${'['.repeat(98)}${']'.repeat(98)},`)}1]`,
  'one text': (length) => `"${'a'.repeat(length - 2)}"`,
  'escaped characters': (length) => `"${upTo(length - 8, '\\u00e9')}"`,
};

/** What is no JSON, or not UTF-8, at its very end. */
const brokenBodies: Readonly<Record<string, (length: number) => string>> = {
  'numbers, cut off': (length) => `{"a":[${upTo(length - 6, '1,')}`,
  'a text, cut off': (length) => `{"a":"${'a'.repeat(length - 6)}`,
  'escapes, cut off': (length) => `{"a":"${upTo(length - 6, '\\n')}`,
  'lines, cut off': (length) => `{"a":[${upTo(length - 6, '\n')}`,
};

const asProperty = (name: string, value: string): string => `{${JSON.stringify(name)}:${value}}`;

type Parameters = Readonly<Record<string, string>>;

const parameters: Parameters = {
  reactor_unit: 'u1',
  unit: 'u1',
  experiment: 'bench',
  device: 'media_pump',
  job: 'stirring',
  job_name: 'stirring',
};
const pathOf = (path: string, own: Parameters = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? parameters[name] ?? 'x');

const isScalar = (schema: object): boolean =>
  ['string', 'number', 'integer', 'boolean'].includes(String(Reflect.get(schema, 'type')));

/** Every body that is declared, with each shape as the whole of it and as each field that may hold more than one value. */
function bodiesOf(node: WorstInput['node'], api: Api): WorstInput[] {
  const routes = Object.entries<RouteDeclaration>(api);
  const distinct = new Map(routes.map(([operation, route]) => [JSON.stringify(route.body), { operation, route }]));
  return [...distinct.values()].flatMap(({ operation, route: { method, path, body } }) => {
    if (body === undefined) return [];
    const to = { node, method, path: pathOf(path) };
    const room = (name: string) => largestBody - asProperty(name, '').length;
    const fields = Object.entries(body.properties).flatMap(([name, schema]) => (isScalar(schema) ? [] : [name]));
    return [
      ...Object.entries(jsonShapes).map(([shape, make]) => ({
        kind: `JSON: ${shape}`,
        name: operation,
        ...to,
        body: () => make(largestBody),
      })),
      ...Object.entries(jsonShapes).flatMap(([shape, make]) =>
        fields.map((field) => ({
          kind: `JSON: ${shape}`,
          name: `${operation} ${field}`,
          ...to,
          body: () => asProperty(field, make(room(field))),
        })),
      ),
      ...Object.entries(brokenBodies).map(([shape, make]) => ({
        kind: `no JSON: ${shape}`,
        name: operation,
        ...to,
        body: () => make(largestBody),
      })),
    ];
  });
}

/** Node limits the head of a request to 16 kB. */
const longestQuery = 12_000;

const textOf = (schema: object): readonly string[] => {
  const choices: unknown = Reflect.get(schema, 'anyOf');
  return Array.isArray(choices) ? choices.flatMap(textOf) : [String(Reflect.get(schema, 'type'))];
};

/** Texts for a query: words, signs that a pattern or a search language gives a meaning, and characters of several bytes. */
const queryTexts: Readonly<Record<string, string>> = {
  words: upTo(longestQuery, 'stirring '),
  signs: upTo(longestQuery / 3, '"*%_(^~'),
  commas: upTo(longestQuery / 3, 'a,'),
  'long word': 'a'.repeat(longestQuery),
};

/** Every reading route: as it is, and with each of these texts as each field of its query that takes a text. */
function readsOf(node: WorstInput['node'], api: Api): WorstInput[] {
  return Object.entries<RouteDeclaration>(api).flatMap(([operation, { method, path, query, waits, responses }]) => {
    const isStream = Object.values(responses).some(({ contentType }) => contentType?.startsWith('text/event-stream'));
    if (method !== 'GET' || waits === true || isStream) return [];
    const to = { node, method, path: pathOf(path) };
    const texts = Object.entries(query?.properties ?? {}).flatMap(([field, schema]) =>
      textOf(schema).includes('string')
        ? Object.entries(queryTexts).map(([name, text]) => ({
            ...to,
            kind: `query: ${name}`,
            name: `${operation} ${field}`,
            path: `${to.path}?${field}=${encodeURIComponent(text)}`,
          }))
        : [],
    );
    return [{ ...to, kind: `read of the ${node}`, name: operation }, ...texts];
  });
}

/** Every route of the leader that reads from all units at once. */
export const readsOfAllUnits = (): readonly WorstInput[] =>
  Object.entries<RouteDeclaration>(leaderApi).flatMap(([operation, { method, path, waits }]) => {
    if (method !== 'GET' || waits === true || !/\{(reactor_)?unit\}/.test(path)) return [];
    const all = pathOf(path, { reactor_unit: '$broadcast', unit: '$broadcast' });
    return [{ kind: 'read of all units', name: operation, node: 'leader', method, path: all }];
  });

export const reads = (): readonly WorstInput[] => [...readsOf('leader', leaderApi), ...readsOf('unit', unitApi)];

export const jsonBodies = (): readonly WorstInput[] => [...bodiesOf('leader', leaderApi), ...bodiesOf('unit', unitApi)];

const manyKeys = (length: number): string =>
  lines(length / 11, (index) => `k${index}: 1`)
    .slice(0, length)
    .replace(/\n[^\n]*$/, '');
const numbersOf = (count: number): string => Array.from({ length: count }, (_, index) => index / 8).join(',');

/** Of as many points as are taken. */
export const pumpCalibration = (name: string, points = 3_900): string => `calibration_type: simple_peristaltic_pump
calibration_name: ${name}
calibrated_on_reactor_unit: u1
created_at: 2026-11-01T00:00:00Z
curve_data_: {type: poly, coefficients: [1, 0]}
hz: 100
dc: 50
voltage: 12
recorded_data:
  x: [${numbersOf(points)}]
  y: [${numbersOf(points)}]
`;

const profileHead = 'experiment_profile_name: large\nversion: "1.0"\ncommon:\n  jobs:\n    stirring:\n      actions:\n';

export const yamlTexts: Readonly<Record<string, string>> = {
  'keys, all that fit': manyKeys(largestYaml),
  'one list of numbers': `[${upTo(largestYaml - 4, '1,')}1]`,
  commas: `[${upTo(largestYaml - 2, ',')}]`,
  braces: upTo(largestYaml, '{a: '),
  'aliases over the limit': `a: &a 1\n${lines(20_000, (index) => `k${index}: *a`)}`,
  'aliases, all that are taken': `a: &a [${upTo(200, '1,')}1]\n${lines(990, (index) => `k${index}: *a`)}`,
  'over the length': manyKeys(1_500_000),
};

export const profileTexts: Readonly<Record<string, string>> = {
  ...yamlTexts,
  'actions, all that fit':
    profileHead + lines(3_900, (index) => `        - {type: update, t: ${index}s, options: {target_rpm: 500}}`),
  'faulty actions': profileHead + lines(9_000, () => '        - {type: nothing}'),
  expressions:
    profileHead +
    lines(
      1_500,
      (index) => `        - {type: update, t: ${index}s, options: {target_rpm: "\${{ ${upTo(80, '1 + ')}1 }}"}}`,
    ),
  'one expression': `${profileHead}        - {type: update, t: 1s, options: {target_rpm: "\${{ ${upTo(250_000, '1 + ')}1 }}"}}`,
  'brackets of an expression': `${profileHead}        - {type: update, t: 1s, options: {target_rpm: "\${{ ${'('.repeat(120_000)}1${')'.repeat(120_000)} }}"}}`,
};

export const calibrationTexts: Readonly<Record<string, string>> = {
  ...yamlTexts,
  'points, all that fit': pumpCalibration('large'),
  'points over the length': pumpCalibration('large', 16_000),
};

const sectionsOf = (sections: number, keys: number, line: (index: number) => string): string =>
  lines(sections, (section) => `[s${section}]\n${lines(keys, line)}`);

/** Behind the file as it is: it stays one that can be saved. */
export const iniTexts = (present: string): Readonly<Record<string, string>> => {
  const room = largestIni - present.length - 2;
  const after = (text: string) => `${present}\n${text.slice(0, room)}`;
  const defaults = lines(99, (index) => `d${index}=1`);
  return {
    'keys of sections, all that fit': after(sectionsOf(200, 20, (index) => `key${index}=some value ${index}`)),
    'keys of one section': after(`[s]\n${lines(4_500, (index) => `key${index}=12345678901234567890`)}`),
    'defaults of many sections': after(`[DEFAULT]\n${defaults}\n${sectionsOf(250, 10, (index) => `k${index}=1`)}`),
    'one long value': after(`[s]\na=${'x'.repeat(largestIni)}`),
    'a continued value': after(`[s]\na=1\n${lines(4_500, () => '  continued value of it')}`),
    'percent signs': after(`[s]\na=${'%'.repeat(largestIni)}`),
    secrets: after(`[s]\n${lines(4_500, (index) => `password${index}_password=12`)}`),
    spaces: after(`[s]\n${' '.repeat(60_000)}b${' '.repeat(40_000)}c`),
    duplicates: after(`[s]\n${upTo(120_000, 'key=1 2 3 4 5 6 7 8 9 10\n')}`),
    dashes: after(`[s]\na=${'\u2013'.repeat(largestIni)}`),
    'sections over the limit': lines(100_000, (index) => `[s${index}]`),
    'lines over the limit': upTo(1_900_000, '\n'),
  };
};
