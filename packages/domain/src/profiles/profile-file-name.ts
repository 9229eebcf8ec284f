import { refused, type Verdict } from '../names/verdict.ts';

const pattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?: [A-Za-z0-9._-]+)*$/;
/** The file system of every machine takes as many, with room for what is added to it. */
const mostBytes = 200;

/** Decides whether a profile's file may be called this. Of a path only the last part counts. */
export function checkProfileFileName(text: string): Verdict<{ readonly filename: string }> {
  const filename = text.split(/[/\\]/).at(-1) ?? '';
  if (!/\.ya?ml$/.test(filename)) return refused("The name must end in '.yaml' or '.yml'.");
  if (filename.length > mostBytes) return refused(`The name is longer than ${mostBytes} characters.`);
  if (!pattern.test(filename)) {
    return refused(
      "A name has letters, digits, '.', '_', '-' and single spaces inside, and begins with a letter, a digit or '_'.",
    );
  }
  return { ok: true, filename };
}
