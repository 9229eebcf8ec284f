/** When a changed value counts: at once, at the next start of the job that reads it, or of the node. */
export type SettingRestart = 'no' | 'job' | 'node';

/** What a value of the configuration may be. Every value is text in the file; an empty one is as good as none. */
export type SettingValue =
  | {
      readonly type: 'number' | 'integer';
      readonly min?: number;
      readonly max?: number;
      /** `min` itself is too little. */
      readonly excludesMin?: true;
      /** Words that may stand in place of a number. */
      readonly words?: readonly string[];
    }
  | { readonly type: 'boolean'; readonly words?: readonly string[] }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'text' | 'host' | 'label' };

/** One key of the configuration files: what it means, and what it may say. */
export interface SettingDeclaration {
  /** `*.config` is the section of any job that has none of its own here. */
  readonly section: string;
  /** `*` is any key: the name of a unit, a chart, a job. */
  readonly key: string;
  readonly value: SettingValue;
  /** Of a number; absent when it has none. */
  readonly unit?: string;
  /** What counts when the key is not there or empty; null: nothing does. */
  readonly default: string | null;
  readonly needsRestart: SettingRestart;
  readonly description: string;
}

export const anyKey = '*';
export const anyJobSection = '*.config';
