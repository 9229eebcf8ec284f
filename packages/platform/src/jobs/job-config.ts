import type { IniView } from '../ini/ini-view.ts';

/** A section of the configuration says something that a job cannot work with. */
export class JobConfigError extends Error {
  constructor(section: string, key: string, value: string, wanted: string) {
    super(`The configuration says [${section}] ${key}=${value}, but it must be ${wanted}.`);
    this.name = 'JobConfigError';
  }
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const yes = new Set(['1', 'true', 'yes', 'on']);
const no = new Set(['0', 'false', 'no', 'off']);

/** Values of one section, with the defaults of docs/interfaces.md. A value that makes no sense throws JobConfigError. */
export class JobConfig {
  readonly #values: Readonly<Record<string, string>>;
  readonly #section: string;

  constructor(view: IniView, section: string) {
    this.#values = view[section] ?? {};
    this.#section = section;
  }

  /** What is written; undefined when nothing is. */
  text(key: string): string | undefined {
    const value = this.#values[key]?.trim();
    return value === '' ? undefined : value;
  }

  number(key: string, usual: number, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range = {}) {
    const text = this.text(key);
    if (text === undefined) return usual;
    const value = Number(text);
    if (Number.isFinite(value) && value >= min && value <= max) return value;
    const range = [Number.isFinite(min) ? `at least ${min}` : '', Number.isFinite(max) ? `at most ${max}` : ''];
    throw new JobConfigError(this.#section, key, text, ['a number', ...range.filter(Boolean)].join(', '));
  }

  boolean(key: string, usual: boolean): boolean {
    const text = this.text(key)?.toLowerCase();
    if (text === undefined) return usual;
    if (yes.has(text)) return true;
    if (no.has(text)) return false;
    throw new JobConfigError(this.#section, key, text, 'one of 1, true, yes, on, 0, false, no, off');
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[], usual: Choice): Choice {
    const text = this.text(key);
    if (text === undefined) return usual;
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new JobConfigError(this.#section, key, text, `one of ${choices.join(', ')}`);
    return found;
  }
}
