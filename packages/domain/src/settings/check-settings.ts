import { ownValue } from '@lcs/contract/own-value';
import { distinctValueSections, uniqueValues } from './job-settings.ts';
import { leaderFileSettings } from './leader-settings.ts';
import { invalidValueMessage } from './read-setting.ts';
import { declaredSetting, isDeclaredSection } from './settings.ts';

/** The content of a configuration file: values by section and key. */
export type ConfigValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface InvalidSetting {
  readonly code: 'wrong_value' | 'unknown_section' | 'unknown_key';
  readonly section: string;
  /** Absent for a section. */
  readonly key?: string;
  /** One sentence for people. */
  readonly message: string;
}

/** Sections of `leader.ini`, which no page edits: it has secrets. */
const leaderSections: ReadonlySet<string> = new Set(leaderFileSettings.map(({ section }) => section));

/** Keys of this section appear in every other section, with the meaning that they have there. */
const defaults = 'DEFAULT';

function* invalidValues(section: string, values: ReadonlyMap<string, string>): Generator<InvalidSetting> {
  for (const [key, written] of values) {
    const declared = declaredSetting(section, key);
    if (declared === undefined) {
      yield {
        code: 'unknown_key',
        section,
        key,
        message: `Key '${key}' in section [${section}] is unknown and has no effect. Check its spelling.`,
      };
      continue;
    }
    const text = written.trim();
    const parsed = text === '' ? undefined : declared.parse(text);
    if (parsed?.ok === false) {
      yield { code: 'wrong_value', section, key, message: invalidValueMessage(section, key, text, parsed.expected) };
    }
  }
}

/** Values that only one key of a section may have: one entry for each key but the first with the same value. */
export function* duplicateValues(section: string, values: ReadonlyMap<string, string>): Generator<InvalidSetting> {
  const single = ownValue(uniqueValues, section);
  if (single === undefined && !distinctValueSections.includes(section)) return;
  const first = new Map<string, string>();
  for (const [key, written] of values) {
    const text = written.trim();
    if (text === '' || (single !== undefined && !single.includes(text))) continue;
    const other = first.get(text);
    if (other === undefined) first.set(text, key);
    else {
      const message = `Key '${key}' in section [${section}] is '${text}', but key '${other}' has this value too. Only one key may have it.`;
      yield { code: 'wrong_value', section, key, message };
    }
  }
}

/**
 * The invalid values and unknown keys of a file, in the order of the file. An empty value is valid: it means that the key is not
 * set.
 */
export function* invalidSettings(values: ConfigValues): Generator<InvalidSetting> {
  for (const [section, entries] of values) {
    if (section === defaults) continue;
    if (!isDeclaredSection(section)) {
      yield {
        code: 'unknown_section',
        section,
        message: leaderSections.has(section)
          ? `Section [${section}] has no effect here: the leader reads it from leader.ini in its data folder. Enter it in that file, on the machine of the leader.`
          : `Section [${section}] is unknown and has no effect. Check its spelling.`,
      };
      continue;
    }
    yield* invalidValues(section, entries);
    yield* duplicateValues(section, entries);
  }
}
