import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { expectShares, RequestCounts } from '../cluster/generated/request-counts.ts';
import { targets } from '../cluster/generated/requests.ts';

const folder = inject('observationsFolder');
const parts = readdirSync(folder).filter((name) => name.startsWith('generated-'));

it.skipIf(parts.length === 0)('generated requests of all parts succeeded often enough on every route', () => {
  const shown = new RequestCounts(targets);
  for (const part of parts) shown.add(RequestCounts.fromJson(readFileSync(join(folder, part), 'utf8')));
  expectShares(shown);
});
