import { characterCount, hasUnprintable } from './text.ts';
import { refused, type Verdict } from './verdict.ts';

const maxCharacters = 199;

/** `#`, `+` and `/` structure MQTT topics, `$` marks system names, the others structure addresses and paths. */
const forbidden = /[#$%+/\\?]/u;

/** Words that are routes below /api/experiments: an experiment of such a name could never be read by its name. */
const routeWords: readonly string[] = ['latest', 'active', 'assignment_count'];

/** Addresses drop these path segments before they are sent, however they are encoded. */
const dotSegments: readonly string[] = ['.', '..'];

/** Units publish under this prefix while they test something, and nothing below it is stored. */
const testingPrefix = '_testing';

/** Decides whether a new experiment may have this name; what is kept is trimmed. Uniqueness is the store's business. */
export function checkExperimentName(text: string): Verdict<{ readonly name: string }> {
  const name = text.trim();
  if (name === '') return refused('The name is empty.');
  if (characterCount(name) > maxCharacters) return refused(`The name has more than ${maxCharacters} characters.`);
  if (hasUnprintable(name)) return refused('The name holds a control character.');
  const character = forbidden.exec(name)?.[0];
  if (character !== undefined) return refused(`'${character}' is not allowed.`);
  // `current` stands for the latest experiment in some routes, and clients write it in any case.
  if (name.toLowerCase() === 'current' || routeWords.includes(name) || dotSegments.includes(name)) {
    return refused(`'${name}' is a reserved word.`);
  }
  if (name.startsWith(testingPrefix)) return refused(`Names must not begin with '${testingPrefix}'.`);
  return { ok: true, name };
}
