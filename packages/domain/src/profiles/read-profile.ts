import type { Json } from '@lcs/contract';
import { nameHint } from '../names/name-hint.ts';
import type { Located } from '../yaml/locate-yaml.ts';
import {
  type LateActionPolicy,
  lateActionPolicies,
  type Profile,
  type ProfileJob,
  type ProfileJobs,
  type ProfilePlugin,
} from './profile.ts';
import {
  commonKeys,
  jobKeys,
  jobNamePattern,
  languageVersion,
  metadataKeys,
  pluginKeys,
  profileKeys,
  reactorKeys,
  reactorsAlias,
  requiredJobKeys,
  requiredProfileKeys,
} from './profile-keys.ts';
import { readActions } from './read-actions.ts';
import type { Place, ShapeReader } from './shape-reader.ts';

class ProfileReader {
  readonly #reader: ShapeReader;

  constructor(reader: ShapeReader) {
    this.#reader = reader;
  }

  profile(root: Located): Profile | undefined {
    const place: Place = { path: '', value: root };
    const fields = this.#reader.fields(place, [...profileKeys, reactorsAlias], { required: requiredProfileKeys });
    if (fields === undefined) return undefined;
    const read = <Result>(key: string, reading: (place: Place) => Result | undefined, fallback: Result): Result => {
      const field = fields.get(key);
      return field === undefined ? fallback : (reading(field) ?? fallback);
    };
    if (fields.has(reactorsAlias) && fields.has('reactors'))
      this.#reader.fault(
        reactorsAlias,
        'schema.duplicate',
        `'${reactorsAlias}' and 'reactors' have the same meaning: keep one of them.`,
      );
    return {
      version: read('version', (one) => this.#version(one), languageVersion),
      experiment_profile_name: read('experiment_profile_name', this.#reader.text, ''),
      metadata: read('metadata', (one) => this.#metadata(one), { author: null, description: null }),
      plugins: read('plugins', (one) => this.#reader.list(one, (item) => this.#plugin(item)), []),
      common: read('common', (one) => this.#common(one), { jobs: {} }),
      reactors: read(
        fields.has('reactors') ? 'reactors' : reactorsAlias,
        (one) => this.#reader.record(one, (unit) => this.#unit(unit)),
        {},
      ),
      inputs: read<Readonly<Record<string, Json>>>('inputs', (one) => this.#reader.record(one, this.#reader.json), {}),
      late_actions: read<LateActionPolicy | null>('late_actions', (one) => this.#lateActions(one), null),
    };
  }

  #version(place: Place): string | undefined {
    const { value } = place;
    if (value.kind === 'scalar' && value.value === languageVersion) return languageVersion;
    const message = `The version must be the text "${languageVersion}".`;
    return this.#reader.fault(place.path, 'schema.version', message, `Write: version: "${languageVersion}"`);
  }

  #lateActions(place: Place): LateActionPolicy | undefined {
    const { value } = place;
    const written = value.kind === 'scalar' ? value.value : undefined;
    if (written === null) return undefined;
    const known = lateActionPolicies.find((policy) => policy === written);
    const hint = typeof written === 'string' ? nameHint(written, lateActionPolicies) : undefined;
    return known ?? this.#reader.wrongType(place, `one of ${lateActionPolicies.join(', ')}`, hint);
  }

  #metadata(place: Place) {
    const fields = this.#reader.fields(place, metadataKeys, { isOpen: true });
    return { author: this.#note(fields, 'author'), description: this.#note(fields, 'description') };
  }

  #plugin(place: Place): ProfilePlugin | undefined {
    const fields = this.#reader.fields(place, pluginKeys, { required: pluginKeys, isOpen: true });
    const name = fields?.get('name');
    const version = fields?.get('version');
    if (name === undefined || version === undefined) return undefined;
    const [name_text, version_text] = [this.#reader.text(name), this.#reader.text(version)];
    return name_text === undefined || version_text === undefined
      ? undefined
      : { name: name_text, version: version_text };
  }

  #common(place: Place): Profile['common'] {
    const jobs = this.#reader.fields(place, commonKeys)?.get('jobs');
    return { jobs: jobs === undefined ? {} : this.#jobs(jobs) };
  }

  #unit(place: Place): Profile['reactors'][string] | undefined {
    const fields = this.#reader.fields(place, reactorKeys);
    if (fields === undefined) return undefined;
    const jobs = fields.get('jobs');
    return { label: this.#note(fields, 'label'), jobs: jobs === undefined ? {} : this.#jobs(jobs) };
  }

  #jobs(place: Place): ProfileJobs {
    const jobs = this.#reader.record(place, (one) => this.#job(one)) ?? {};
    for (const name of Object.keys(jobs)) {
      if (!jobNamePattern.test(name))
        this.#reader.fault(`${place.path}.${name}`, 'schema.type', `'${name}' is not a valid job name.`);
    }
    return jobs;
  }

  #job(place: Place): ProfileJob | undefined {
    const fields = this.#reader.fields(place, jobKeys, { required: requiredJobKeys });
    const actions = fields?.get('actions');
    if (actions === undefined) return undefined;
    return { actions: readActions(this.#reader, actions), description: this.#note(fields, 'description') };
  }

  /** An optional text. */
  #note(fields: ReadonlyMap<string, Place> | undefined, key: string): string | null {
    const place = fields?.get(key);
    if (place === undefined || (place.value.kind === 'scalar' && place.value.value === null)) return null;
    return this.#reader.text(place) ?? null;
  }
}

/** Reads a profile; invalid parts are in the findings of `reader`. */
export const readProfile = (reader: ShapeReader, root: Located): Profile | undefined =>
  new ProfileReader(reader).profile(root);
