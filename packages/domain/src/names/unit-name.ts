import { refused, type Verdict } from './verdict.ts';

const pattern = /^[A-Za-z0-9_-]{1,63}$/;

/** Keys that stand beside unit names in answers: `all` in media rates, `profiles_stopped` in the result of a stop. */
const keysBesideUnits: readonly string[] = ['all', 'profiles_stopped'];

/** Words that are routes below /api/workers: who deletes a worker called `assignments` would free all workers instead. */
const routeWords: readonly string[] = ['assignments', 'discover', 'setup'];

const looksLikeIpAddress = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) || (text.includes(':') && /^\[?[0-9A-Fa-f:.]+(%\w+)?\]?$/.test(text));

/** Decides whether a new unit may have this name. Names are case-sensitive and never trimmed: they are host names. */
export function checkUnitName(text: string): Verdict<{ readonly name: string }> {
  if (text === '') return refused('The name is empty.');
  if (text === '$broadcast') return refused("'$broadcast' stands for all units.");
  if (looksLikeIpAddress(text)) return refused('The name is an IP address.');
  if (!pattern.test(text))
    return refused('The name has other characters than A-Z, a-z, 0-9, _ and -, or more than 63.');
  if (keysBesideUnits.includes(text) || routeWords.includes(text) || text.toLowerCase() === 'localhost') {
    return refused(`'${text}' is a reserved word.`);
  }
  return { ok: true, name: text };
}
