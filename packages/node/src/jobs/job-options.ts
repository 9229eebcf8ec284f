import type { JobOptionDeclaration, JobOptions } from '@lcs/domain';
import { booleanOf, numberOf } from './setting-value.ts';

type OptionScalar = string | number | boolean;
type OptionValue = OptionScalar | readonly OptionScalar[];
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** Options that are not valid; the message is one sentence for the client. */
export class OptionsInvalid extends Error {
  /** The option at fault; undefined: no single one. */
  readonly option: string | undefined;
  constructor(message: string, option?: string) {
    super(message);
    this.name = 'OptionsInvalid';
    this.option = option;
  }
}

type NumberOption = Extract<JobOptionDeclaration, { type: 'float' | 'integer' }>;

function numberOption(name: string, declaration: NumberOption, given: unknown): number {
  const { type, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = declaration;
  const value = numberOf(given);
  if (value === undefined) throw new OptionsInvalid(`The option ${name} must be a number.`, name);
  if (type === 'integer' && !Number.isInteger(value))
    throw new OptionsInvalid(`The option ${name} must be a whole number.`, name);
  if (value < min || value > max)
    throw new OptionsInvalid(`The option ${name} must be between ${min} and ${max}.`, name);
  return value;
}

function booleanOption(name: string, given: unknown): boolean {
  const value = given === null ? true : booleanOf(given);
  if (value === undefined) throw new OptionsInvalid(`The option ${name} must be true or false.`, name);
  return value;
}

function textOption(name: string, { choices }: { readonly choices?: readonly string[] }, given: unknown): string {
  if (typeof given !== 'string' && typeof given !== 'number')
    throw new OptionsInvalid(`The option ${name} must be a text.`, name);
  const value = String(given);
  if (choices !== undefined && !choices.includes(value))
    throw new OptionsInvalid(`The option ${name} must be one of: ${choices.join(', ')}.`, name);
  return value;
}

function scalarOption(name: string, declaration: JobOptionDeclaration, given: unknown): OptionScalar {
  if (declaration.type === 'boolean') return booleanOption(name, given);
  if (declaration.type === 'string') return textOption(name, declaration, given);
  return numberOption(name, declaration, given);
}

function optionValue(name: string, declaration: JobOptionDeclaration, given: unknown): OptionValue {
  if (given === null && declaration.type !== 'boolean')
    throw new OptionsInvalid(`The option ${name} needs a value.`, name);
  if (!Array.isArray(given)) {
    const value = scalarOption(name, declaration, given);
    return declaration.multiple ? [value] : value;
  }
  if (!declaration.multiple) throw new OptionsInvalid(`The option ${name} must be one value, not a list.`, name);
  return given.map((one: unknown) => scalarOption(name, declaration, one));
}

/**
 * Parses the options of a start: `-` and `_` in names are equal, names are case-sensitive, null sets a flag.
 * @throws OptionsInvalid
 */
export function parseOptions(declarations: JobOptions, given: Readonly<Record<string, unknown>>): OptionValues {
  const values = new Map<string, OptionValue>();
  for (const [key, value] of Object.entries(given)) {
    const name = key.replaceAll('-', '_');
    const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
    if (declaration === undefined) throw new OptionsInvalid(`There is no option ${key}.`, key);
    if (values.has(name)) throw new OptionsInvalid(`The option ${name} is given twice.`, name);
    values.set(name, optionValue(name, declaration, value));
  }
  for (const [name, { required }] of Object.entries(declarations)) {
    if (required && !values.has(name)) throw new OptionsInvalid(`The option ${name} is missing.`, name);
  }
  return Object.fromEntries(values);
}
