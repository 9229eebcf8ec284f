import type { SessionField } from '@lcs/contract';

/** An input of a person is not valid; `problem` is one sentence for them. */
export class InvalidInput extends Error {
  readonly problem: string;
  /** The field of the step at fault; undefined: no single one. */
  readonly field: string | undefined;
  constructor(problem: string, field?: string) {
    super(field === undefined ? problem : `${field}: ${problem}`);
    this.name = 'InvalidInput';
    this.problem = problem;
    this.field = field;
  }
}

const yes = new Set(['true', 'yes', '1', 'y']);
const no = new Set(['false', 'no', '0', 'n']);

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The inputs of a step. The constructor refuses numbers outside the limits of their field. */
export class StepInputs {
  readonly #fields: ReadonlyMap<string, SessionField>;
  readonly #values: Readonly<Record<string, unknown>>;

  /** @throws InvalidInput */
  constructor(fields: readonly SessionField[], values: Readonly<Record<string, unknown>>) {
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#values = values;
    for (const field of fields)
      if (field.field_type === 'float' || field.field_type === 'int') this.#expectWithin(field);
  }

  /** The action of a further button of the step. */
  get action(): string | undefined {
    const { action } = this.#values;
    return typeof action === 'string' ? action : undefined;
  }

  /** Whether an action has this key with the value false. */
  isFalse(name: string): boolean {
    return this.#values[name] === false;
  }

  /** A number that belongs to an action, such as that of a row; undefined: there is none. */
  count(name: string): number | undefined {
    const number = numberOf(this.#values[name]);
    return number === undefined || !Number.isInteger(number) ? undefined : number;
  }

  /** A measured value: its default is only a suggestion and is not used. */
  number(name: string): number {
    const value = this.#values[name];
    if (isMissing(value)) throw this.#fault(name, 'It is missing.');
    const number = numberOf(value);
    if (number === undefined) throw this.#fault(name, 'It must be a number.');
    return this.#field(name).field_type === 'int' ? Math.trunc(number) : number;
  }

  text(name: string): string {
    const value = this.#given(name);
    if (typeof value !== 'string') throw this.#fault(name, 'It must be text.');
    return value.trim();
  }

  boolean(name: string): boolean {
    const value = this.#given(name);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return value !== 0;
    const text = String(value).trim().toLowerCase();
    if (yes.has(text) || no.has(text)) return yes.has(text);
    throw this.#fault(name, 'It must be yes or no.');
  }

  choice(name: string): string {
    const value = String(this.#given(name)).trim();
    const options = this.#field(name).options ?? [];
    if (!options.includes(value)) throw this.#fault(name, `It must be one of: ${options.join(', ')}.`);
    return value;
  }

  numbers(name: string): readonly number[] {
    const value = this.#given(name);
    const parts: readonly unknown[] = Array.isArray(value) ? value : String(value).split(',');
    const numbers = parts.map(numberOf);
    if (numbers.length === 0) throw this.#fault(name, 'It must have at least one number.');
    return numbers.map((number) => {
      if (number === undefined) throw this.#fault(name, 'It must be numbers, separated by commas.');
      return number;
    });
  }

  /** The given value, or the default of the field. */
  #given(name: string): unknown {
    const value = this.#values[name];
    if (!isMissing(value)) return value;
    const defaultValue = this.#field(name).default;
    if (defaultValue === null) throw this.#fault(name, 'It is missing.');
    return defaultValue;
  }

  #expectWithin({ name, minimum, maximum, min_error_msg, max_error_msg }: SessionField): void {
    const number = isMissing(this.#values[name]) ? undefined : numberOf(this.#values[name]);
    if (number === undefined) return;
    if (minimum !== null && number < minimum)
      throw this.#fault(name, min_error_msg ?? `It must be at least ${minimum}.`);
    if (maximum !== null && number > maximum)
      throw this.#fault(name, max_error_msg ?? `It must be at most ${maximum}.`);
  }

  #field(name: string): SessionField {
    const field = this.#fields.get(name);
    if (field === undefined) throw new Error(`The step has no field ${name}.`);
    return field;
  }

  #fault(name: string, problem: string): InvalidInput {
    return new InvalidInput(problem, name);
  }
}
