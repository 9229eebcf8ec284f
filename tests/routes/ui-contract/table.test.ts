import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requestTitle } from './page.ts';
import { allPages, pagesByName } from './pages/all.ts';
import { operationOf, thirdPartyUi } from './table.ts';

const file = new URL('../../../docs/third-party-ui.md', import.meta.url);

it('docs/third-party-ui.md matches the tests of this folder', () => {
  const made = thirdPartyUi(allPages);
  if (process.env.LCS_WRITE_COVERAGE === '1') writeFileSync(file, made);
  expect(readFileSync(file, 'utf8')).toBe(made);
});

it('each request has a declared route, and each page is tested by its file', () => {
  for (const [name, page] of Object.entries(pagesByName)) {
    for (const request of page.requests) expect([requestTitle(request), operationOf(request)]).not.toContain(undefined);
    const shown = readFileSync(new URL(page.testFile, import.meta.url), 'utf8');
    expect(shown).toMatch(new RegExp(`showPages\\([^)]*\\b${name}\\b`));
    const titles = [...page.requests.map(requestTitle), ...page.rules.map(({ rule }) => rule)];
    expect(new Set(titles).size).toBe(titles.length);
  }
});
