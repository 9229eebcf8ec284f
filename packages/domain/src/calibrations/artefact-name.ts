import { refused, type Verdict } from '../names/verdict.ts';

const pattern = /^[A-Za-z0-9._-]+( [A-Za-z0-9._-]+)*$/;
const mostBytes = 200;

/** Whether a calibration, an estimator or a device may be called so: it becomes the name of a file or folder. */
export function artefactName(name: string): Verdict<Record<never, never>> {
  if (name === '') return refused('It is empty.');
  if (!pattern.test(name)) return refused('It has characters that are not allowed, or blanks at its ends.');
  if (name.startsWith('.') || name.startsWith('-')) return refused('It begins with a dot or a hyphen.');
  if (name.length > mostBytes) return { ok: false, cause: `It is longer than ${mostBytes} characters.` };
  return { ok: true };
}

/** Whether a device may be called so: one name would hide the routes of the sessions. */
export const deviceName = (name: string): Verdict<Record<never, never>> =>
  name === 'sessions' ? refused('This name is taken by the calibration sessions.') : artefactName(name);
