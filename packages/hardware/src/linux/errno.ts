import { getSystemErrorName } from 'node:util';

/**
 * The `code` of an error of the operating system; undefined for any other error. As `errnoOf` of the platform, whose index
 * would load all of a node into the guard's process.
 *
 * Errors that an addon makes (i2c-bus does) have an empty `code` where Node's own table has no name, EREMOTEIO (121) among
 * them, which is every missing acknowledgement of a Raspberry Pi: then `errno` has the number.
 */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? error.code : undefined;
  const errno = 'errno' in error ? error.errno : undefined;
  if (typeof code === 'string' && isName(code)) return code;
  if (typeof errno !== 'number' || !Number.isInteger(errno) || errno === 0) return undefined;
  const name = getSystemErrorName(-Math.abs(errno));
  return isName(name) ? name : `errno ${Math.abs(errno)}`;
}

/** Node has no name for some codes: `Unknown system error -74`. */
const isName = (code: string): boolean => /^\w+$/.test(code);
