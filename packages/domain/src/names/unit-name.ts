import { invalid, type Validated } from './validation.ts';

const pattern = /^[A-Za-z0-9_-]{1,63}$/;

/** Keys beside unit names in responses: `all` in media rates, `profiles_stopped` in the result of a stop. */
const reservedKeys: readonly string[] = ['all', 'profiles_stopped'];

/** Routes below /api/workers: deleting a worker with the name `assignments` would unassign all workers instead. */
const routeNames: readonly string[] = ['assignments', 'discover', 'setup'];

const isIpAddress = (text: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(text) || (text.includes(':') && /^\[?[0-9A-Fa-f:.]+(%\w+)?\]?$/.test(text));

/** Validates the name of a new unit. Names are case-sensitive and not trimmed: they are host names. */
export function validateUnitName(text: string): Validated<{ readonly name: string }> {
  if (text === '') return invalid('The name must not be empty.');
  if (text === '$broadcast') return invalid("The name '$broadcast' is reserved for all units. Choose another name.");
  if (isIpAddress(text)) return invalid('The name must not be an IP address. Use the host name.');
  if (!pattern.test(text)) return invalid('The name must have 1 to 63 of the characters A-Z, a-z, 0-9, _ and -.');
  if (reservedKeys.includes(text) || routeNames.includes(text) || text.toLowerCase() === 'localhost') {
    return invalid(`The name '${text}' is reserved. Choose another name.`);
  }
  return { ok: true, name: text };
}
