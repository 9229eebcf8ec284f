/** A name or value that the file format cannot represent. */
export class IniUnwritable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IniUnwritable';
  }
}

/** `%%` means `%`; a single `%` is literal. */
export const readPercents = (written: string) => written.replaceAll('%%', '%');

/** Always doubled, so that programs with interpolation read the same value. */
export const writePercents = (value: string) => value.replaceAll('%', '%%');

/** The text of a new section's line. Throws IniUnwritable. */
export function headerText(name: string): string {
  if (name === '' || /[\]\r\n]/.test(name)) {
    throw new IniUnwritable(`${JSON.stringify(name)} cannot be the name of a section.`);
  }
  return `[${name}]`;
}

/**
 * The lines of `key=value`, the first after `indent`, the others indented further. Throws IniUnwritable when they would be read as another
 * value.
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

/** Replaces the en and em dashes that text editors make of '-'. Applied first to every text that a user sends. */
export const normaliseDashes = (text: string): string => text.replaceAll(/[\u2013\u2014]/g, '-');
