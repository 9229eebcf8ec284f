import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, it } from 'vitest';
import { targets } from '../cluster/generated/requests.ts';
import { expectShares, Shown } from '../cluster/generated/shown.ts';

const folder = inject('observationsFolder');
const parts = readdirSync(folder).filter((name) => name.startsWith('generated-'));

it.skipIf(parts.length === 0)('generated requests of all parts succeeded often enough on every route', () => {
  const shown = new Shown(targets);
  for (const part of parts) shown.add(Shown.fromJson(readFileSync(join(folder, part), 'utf8')));
  expectShares(shown);
});
