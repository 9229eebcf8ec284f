import { invalid, type Validated } from '../names/validation.ts';

const pattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/;
/** Every file system allows this length, with headroom for suffixes. */
const maxCharacters = 200;

/** Validates the file name of a profile. Of a path only the last part is used. */
export function validateProfileFileName(text: string): Validated<{ readonly filename: string }> {
  const filename = text.split(/[/\\]/).at(-1) ?? '';
  if (!/\.ya?ml$/.test(filename)) return invalid("The name must end in '.yaml' or '.yml'.");
  if (filename.length > maxCharacters) return invalid(`The name must have at most ${maxCharacters} characters.`);
  if (!pattern.test(filename)) {
    return invalid(
      "The name must have only letters, digits, '.', '_', '-' and single spaces inside, and begin with a letter, a digit or '_'.",
    );
  }
  return { ok: true, filename };
}
