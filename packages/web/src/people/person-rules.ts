import { commonWords } from '../words/common.ts';
import { peopleWords } from '../words/people.ts';

/** The shortest password that the leader takes. */
const shortestPassword = 12;

/** What is wrong with the name of a new person; null: nothing. The leader has the same rule. */
export function personNameFault(name: string): string | null {
  const text = name.trim();
  if (text === '') return commonWords.valueIsNeeded;
  return /^[A-Za-z0-9][A-Za-z0-9._@-]*$/.test(text) ? null : peopleWords.nameRule;
}

/** What is wrong with a new password; null: nothing. */
export function newPasswordFault(password: string): string | null {
  if (password === '') return commonWords.valueIsNeeded;
  return password.length < shortestPassword ? commonWords.passwordMinimum : null;
}
