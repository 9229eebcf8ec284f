import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observe } from '@lcs/testkit';
import { inject } from 'vitest';

/**
 * Notes which statuses of which routes servers have answered while tests ran, and which of them tests have asserted, for
 * the checks in `tests/whole`.
 */
export const observe: Observe = (route, status, how) => {
  appendFileSync(
    join(inject('observationsFolder'), `${process.pid}.tsv`),
    `${how}\t${route.method}\t${route.path}\t${status}\n`,
  );
};
