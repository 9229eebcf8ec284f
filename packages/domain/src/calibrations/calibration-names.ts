import { invalid, type Validated } from '../names/validation.ts';

const pattern = /^[A-Za-z0-9._-]+( [A-Za-z0-9._-]+)*$/;
const maxCharacters = 200;

/** Validates the name of a calibration, an estimator or a device: it becomes the name of a file or folder. */
export function validateCalibrationName(name: string): Validated<Record<never, never>> {
  if (name === '') return invalid('It must not be empty.');
  if (!pattern.test(name))
    return invalid('It must have only letters, digits, ".", "_", "-" and single blanks between them.');
  if (name.startsWith('.') || name.startsWith('-')) return invalid('It must not begin with a dot or a hyphen.');
  if (name.length > maxCharacters) return invalid(`It must have at most ${maxCharacters} characters.`);
  return { ok: true };
}

/** Validates the name of a device: `sessions` would hide the routes of the sessions. */
export const validateDeviceName = (name: string): Validated<Record<never, never>> =>
  name === 'sessions'
    ? invalid('The name sessions is reserved for the calibration sessions. Choose another name.')
    : validateCalibrationName(name);
