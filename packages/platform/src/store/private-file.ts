import { closeSync, openSync } from 'node:fs';

/** Creates an empty file that only its owner can read; SQLite takes one for a new database. Throws when it is there. */
export const createPrivateFile = (path: string): void => closeSync(openSync(path, 'wx', 0o600));
