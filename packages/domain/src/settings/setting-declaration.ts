import type { SettingType, SettingValue } from './setting-type.ts';

/** When a changed value takes effect: at once, at the next start of the job that reads it, or of the node. */
export type SettingRestart = 'no' | 'job' | 'node';

/** The declaration of one key of the configuration files. Everything else about the key is derived from it. */
export interface SettingDeclaration<Value = unknown> extends SettingType<Value> {
  /** `*.config`: the section of any job without a declared section. */
  readonly section: string;
  /** `*`: any key, such as the name of a unit, a chart or a job. */
  readonly key: string;
  readonly value: SettingValue;
  /** Unit of a number; absent: none. */
  readonly unit?: string;
  /** The value when the key is absent or empty, as text; null: none. */
  readonly default: string | null;
  /** The same as a value. */
  readonly absent: Value;
  readonly needsRestart: SettingRestart;
  readonly description: string;
  /** The value in the file that a new leader writes; of `*`, the value of each key; absent: the file does not have it. */
  readonly inFile?: string | Readonly<Record<string, string>>;
  /** Nothing reads it yet. */
  readonly isUnused?: true;
  /** People do not see the value. */
  readonly isSecret?: true;
}

export const anyKey = '*';
export const anyJobSection = '*.config';

interface KeyOptions {
  readonly unit?: string;
  /** `true`: the default. */
  readonly inFile?: true | string | Readonly<Record<string, string>>;
  readonly isUnused?: true;
  readonly isSecret?: true;
  /** Other than that of the section. */
  readonly needsRestart?: SettingRestart;
}

interface SectionKeys {
  /** A key that always has a value. @throws Error when its default is invalid: a mistake in the declaration */
  key<Value>(
    key: string,
    type: SettingType<Value>,
    preset: string,
    description: string,
    options?: KeyOptions,
  ): SettingDeclaration<Value>;
  /** A key that may have no value. */
  optional<Value>(
    key: string,
    type: SettingType<Value>,
    description: string,
    options?: KeyOptions & { readonly default?: '' },
  ): SettingDeclaration<Value | undefined>;
}

/** Declares keys of a section. */
export function inSection(section: string, defaultRestart: SettingRestart): SectionKeys {
  const common = (options: KeyOptions, preset: string | null) => {
    const { unit, isUnused, isSecret, needsRestart = defaultRestart, inFile } = options;
    return {
      section,
      needsRestart,
      ...(unit !== undefined && { unit }),
      ...(isUnused && { isUnused }),
      ...(isSecret && { isSecret }),
      ...(inFile !== undefined && { inFile: inFile === true ? (preset ?? '') : inFile }),
    };
  };
  return {
    key(key, type, preset, description, options = {}) {
      const parsed = type.parse(preset);
      if (!parsed.ok) throw new Error(`The default of [${section}] ${key} must be ${parsed.expected}.`);
      return { ...type, ...common(options, preset), key, default: preset, absent: parsed.value, description };
    },
    optional(key, type, description, options = {}) {
      const preset = options.default ?? null;
      return { ...type, ...common(options, preset), key, default: preset, absent: undefined, description };
    },
  };
}
