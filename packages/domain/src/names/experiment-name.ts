import { characterCount, hasUnprintable, invalid, type Validated } from './validation.ts';

const maxCharacters = 199;

/** `#`, `+` and `/` structure MQTT topics, `$` marks system names, the others structure addresses and paths. */
const forbidden = /[#$%+/\\?]/u;

/** Routes below /api/experiments: an experiment with such a name could not be read by its name. */
const routeNames: readonly string[] = ['latest', 'active', 'assignment_count'];

/** Clients remove these path segments from URLs, however they are encoded. */
const dotSegments: readonly string[] = ['.', '..'];

/** Units publish under this prefix during tests, and the leader stores nothing below it. */
const testingPrefix = '_testing';

/** Validates and trims the name of a new experiment. The store ensures that it is unique. */
export function validateExperimentName(text: string): Validated<{ readonly name: string }> {
  const name = text.trim();
  if (name === '') return invalid('The name must not be empty.');
  if (characterCount(name) > maxCharacters) return invalid(`The name must have at most ${maxCharacters} characters.`);
  if (hasUnprintable(name)) return invalid('The name must not have control characters.');
  const character = forbidden.exec(name)?.[0];
  if (character !== undefined) return invalid(`The name must not have the character '${character}'.`);
  // Some routes use `current` for the latest experiment, and clients write it in upper or lower case.
  if (name.toLowerCase() === 'current' || routeNames.includes(name) || dotSegments.includes(name)) {
    return invalid(`The name '${name}' is reserved. Choose another name.`);
  }
  if (name.startsWith(testingPrefix)) return invalid(`The name must not begin with '${testingPrefix}'.`);
  return { ok: true, name };
}
