import { invalid, type Validated } from '../names/validation.ts';

const pattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/;
/** The file system of every machine takes as many, with room for what is added to it. */
const mostBytes = 200;

/** Decides whether a profile's file may be called this. Of a path only the last part counts. */
export function validateProfileFileName(text: string): Validated<{ readonly filename: string }> {
  const filename = text.split(/[/\\]/).at(-1) ?? '';
  if (!/\.ya?ml$/.test(filename)) return invalid("The name must end in '.yaml' or '.yml'.");
  if (filename.length > mostBytes) return invalid(`The name is longer than ${mostBytes} characters.`);
  if (!pattern.test(filename)) {
    return invalid(
      "A name has letters, digits, '.', '_', '-' and single spaces inside, and begins with a letter, a digit or '_'.",
    );
  }
  return { ok: true, filename };
}
