import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Observe } from '@lcs/testkit';
import { inject } from 'vitest';

/** Notes which statuses of which routes the tests have asserted, for the check in `tests/whole`. */
export const observe: Observe = (route, status) => {
  appendFileSync(
    join(inject('observationsFolder'), `${process.pid}.tsv`),
    `${route.method}\t${route.path}\t${status}\n`,
  );
};
