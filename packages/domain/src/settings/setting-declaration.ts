/** When a changed value takes effect: at once, at the next start of the job that reads it, or of the node. */
export type SettingRestart = 'no' | 'job' | 'node';

/** The type of a configuration value. Every value is text in the file; an empty value means that the key is not set. */
export type SettingValue =
  | {
      readonly type: 'number' | 'integer';
      readonly min?: number;
      readonly max?: number;
      /** `min` itself is not allowed. */
      readonly excludesMin?: true;
      /** Words that are allowed instead of a number. */
      readonly words?: readonly string[];
    }
  | { readonly type: 'boolean'; readonly words?: readonly string[] }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'text' | 'host' | 'label' };

/** The declaration of one key of the configuration files. */
export interface SettingDeclaration {
  /** `*.config`: the section of any job without a declared section. */
  readonly section: string;
  /** `*`: any key, such as the name of a unit, a chart or a job. */
  readonly key: string;
  readonly value: SettingValue;
  /** Unit of a number; absent: none. */
  readonly unit?: string;
  /** The value when the key is absent or empty; null: none. */
  readonly default: string | null;
  readonly needsRestart: SettingRestart;
  readonly description: string;
}

export const anyKey = '*';
export const anyJobSection = '*.config';
