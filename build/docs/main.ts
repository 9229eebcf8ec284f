import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { profileSchema } from '@lcs/domain';
import { accessTablePage } from './access-table-page.ts';
import { apiPages } from './api-pages.ts';
import { errorsPage } from './errors-page.ts';
import { firstBoardPage } from './first-board-page.ts';
import { deadLinks } from './links.ts';
import { leaderSettingsPage, settingsPage } from './settings-page.ts';
import { sourcesPage } from './sources-page.ts';
import { topicsPage } from './topics-page.ts';

/**
 * `npm run docs` writes the generated pages (`docs/reference`, and one beside it). With `--check` it writes nothing and fails when one of them is
 * stale, or when a link in a document, or the name of a document in a source file, leads nowhere.
 */
const repository = path.dirname(path.dirname(import.meta.dirname));
const folder = path.join(repository, 'docs', 'reference');

const pages = new Map<string, string>([
  ...apiPages(),
  ['errors.md', errorsPage()],
  ['settings.md', settingsPage()],
  ['leader-settings.md', leaderSettingsPage()],
  ['sources.md', sourcesPage()],
  ['mqtt-topics.md', topicsPage()],
  ['mqtt-access.md', accessTablePage()],
  ['../first-board-test.md', firstBoardPage()],
  ['experiment-profile.schema.json', `${JSON.stringify(profileSchema, null, 2)}\n`],
]);

const present = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(md|schema\.json)$/.test(name))
  : [];
/** Written by tests, from what they have seen. */
const ofTests: ReadonlySet<string> = new Set(['route-access.md']);

const surplus = present.filter((name) => !pages.has(name) && !ofTests.has(name));

function write(): void {
  for (const name of surplus) rmSync(path.join(folder, name));
  for (const [name, text] of pages) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function stalePages(): readonly string[] {
  const isStale = (name: string, text: string): boolean => {
    const file = path.join(folder, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  };
  const changed = [...pages].flatMap(([name, text]) => (isStale(name, text) ? [name] : []));
  return [...changed, ...surplus].map((name) => `${path.join('docs/reference', name)} is stale. Run \`npm run docs\`.`);
}

function brokenLinks(): readonly string[] {
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md', '*.ts', '*.tsx', '*.cjs', '*.tsv'],
    {
      cwd: repository,
      encoding: 'utf8',
    },
  );
  const kept = files.split('\0').filter((file) => file !== '' && existsSync(path.join(repository, file)));
  return kept.flatMap((file) => deadLinks(repository, file));
}

const isCheck = process.argv.includes('--check');
if (!isCheck) write();
const faults = [...(isCheck ? stalePages() : []), ...brokenLinks()];
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
