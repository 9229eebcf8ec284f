import { checkOption, type JobOptions, type OptionValue } from '@lcs/domain';

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
    const check = checkOption(declaration, value);
    if (!check.ok) throw new OptionsInvalid(`The option ${name} ${check.requirement}.`, name);
    values.set(name, check.value);
  }
  for (const [name, { required }] of Object.entries(declarations)) {
    if (required && !values.has(name)) throw new OptionsInvalid(`The option ${name} is missing.`, name);
  }
  return Object.fromEntries(values);
}
