/** A name or value that the file format has no way to write down. */
export class IniUnwritable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IniUnwritable';
  }
}

/** `%%` stands for `%`; a `%` alone is itself. */
export const readPercents = (written: string) => written.replaceAll('%%', '%');

/** Doubled always, so that readers with interpolation understand the file too. */
export const writePercents = (value: string) => value.replaceAll('%', '%%');

/** The text of a new section's line. Throws IniUnwritable. */
export function headerText(name: string): string {
  if (name === '' || /[\]\r\n]/.test(name)) {
    throw new IniUnwritable(`${JSON.stringify(name)} cannot be the name of a section.`);
  }
  return `[${name}]`;
}

/**
 * The texts of the lines of `key=value`, the first after `indent`, the others a little further. Throws IniUnwritable when
 * reading them would give something else.
 */
export function entryTexts(indent: string, key: string, value: string): [string, ...string[]] {
  if (key === '' || key !== key.trim() || /[=:\r\n]/.test(key) || /^[#;[]/.test(key)) {
    throw new IniUnwritable(`${JSON.stringify(key)} cannot be a key.`);
  }
  const [first = '', ...others] = writePercents(value).split('\n');
  const lines = [first, ...others];
  const isKept = lines.every((line) => line === line.trim()) && !others.some((line) => /^[#;]/.test(line));
  if (!isKept || others.at(-1) === '') {
    throw new IniUnwritable(
      `The value of '${key}' cannot be written: no line of it may begin or end with white space, only the first may begin with '#' or ';', and the last may not be empty.`,
    );
  }
  return [`${indent}${key}=${first}`, ...others.map((line) => (line === '' ? '' : `${indent}    ${line}`))];
}
