import { readFileSync, writeFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { apiCoverage } from './api-coverage.ts';

const file = new URL('../../docs/api-coverage.md', import.meta.url);

it('docs/api-coverage.md matches the answers of this run', () => {
  const made = apiCoverage(inject('observationsFolder'));
  if (process.env.LCS_WRITE_COVERAGE === '1') writeFileSync(file, made);
  expect(readFileSync(file, 'utf8')).toBe(made);
});
