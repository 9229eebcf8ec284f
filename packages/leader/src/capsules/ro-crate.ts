/** A file of a capsule. */
export interface CrateFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly type: string;
  readonly description: string;
}

export interface CrateFacts {
  readonly experiment: string;
  readonly description: string | null;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly madeAt: string;
  readonly softwareVersion: string;
  /** A URL or a text. */
  readonly license: string | null;
  readonly files: readonly CrateFile[];
}

const crateProfile = 'https://w3id.org/ro/crate/1.1';
const software = 'https://www.npmjs.com/package/leader-control-service';
const ownLicense = '#license';

const isUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text);

/** The metadata of a capsule (RO-Crate 1.1, https://www.researchobject.org/ro-crate/specification/1.1/). */
export function roCrate(facts: CrateFacts): object {
  const { experiment, description, createdAt, endedAt, madeAt, softwareVersion, license, files } = facts;
  const licenseId = license !== null && isUrl(license) ? license : ownLicense;
  return {
    '@context': `${crateProfile}/context`,
    '@graph': [
      {
        '@id': 'ro-crate-metadata.json',
        '@type': 'CreativeWork',
        conformsTo: { '@id': crateProfile },
        about: { '@id': './' },
      },
      {
        '@id': './',
        '@type': 'Dataset',
        name: experiment,
        description: description || `Readings, events and calibrations of the experiment ${experiment}.`,
        datePublished: madeAt,
        temporalCoverage: `${createdAt}/${endedAt ?? madeAt}`,
        license: { '@id': licenseId },
        hasPart: files.map(({ path }) => ({ '@id': path })),
        mentions: { '@id': '#making' },
      },
      {
        '@id': licenseId,
        '@type': 'CreativeWork',
        name: license ?? 'No licence was stated. Ask the authors before you use these data.',
      },
      {
        '@id': '#making',
        '@type': 'CreateAction',
        name: 'The leader wrote this capsule from its store',
        endTime: madeAt,
        instrument: { '@id': software },
        result: { '@id': './' },
      },
      { '@id': software, '@type': 'SoftwareApplication', name: 'Leader Control Service', softwareVersion },
      ...files.map(({ path, bytes, sha256, type, description }) => ({
        '@id': path,
        '@type': 'File',
        name: path,
        description,
        encodingFormat: type,
        contentSize: String(bytes),
        sha256,
      })),
    ],
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idOf = (value: unknown): unknown => (isObject(value) ? value['@id'] : undefined);

/** What is wrong with the metadata of a capsule with these files; empty: nothing. */
export function crateFaults(metadata: unknown, files: ReadonlySet<string>): readonly string[] {
  const graph =
    isObject(metadata) && Array.isArray(metadata['@graph']) ? metadata['@graph'].filter(isObject) : undefined;
  if (graph === undefined) return ['It has no list @graph.'];
  const find = (id: string) => graph.find((entity) => entity['@id'] === id);
  const faults: string[] = [];
  const descriptor = find('ro-crate-metadata.json');
  if (idOf(descriptor?.about) !== './') faults.push('Its descriptor does not describe ./.');
  const profile = idOf(descriptor?.conformsTo);
  if (typeof profile !== 'string' || !profile.startsWith('https://w3id.org/ro/crate/1.'))
    faults.push('It does not conform to RO-Crate 1.');
  const root = find('./');
  if (root?.['@type'] !== 'Dataset') faults.push('It has no root data set ./.');
  for (const property of ['name', 'description', 'datePublished', 'license'])
    if (root?.[property] === undefined) faults.push(`Its root has no ${property}.`);
  const parts = new Set((Array.isArray(root?.hasPart) ? root.hasPart : []).map(idOf));
  for (const file of files) if (!parts.has(file)) faults.push(`${file} is not part of its root.`);
  for (const part of parts) {
    if (typeof part !== 'string' || !files.has(part)) faults.push(`${String(part)} is missing.`);
    else if (find(part)?.['@type'] !== 'File') faults.push(`${part} is not described.`);
  }
  return faults;
}
