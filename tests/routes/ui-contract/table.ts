import { leaderApi, unitApi } from '@lcs/contract';
import { requestTitle, type UiPage, type UiRequest, type UiRule } from './page.ts';
import { shownShape } from './shape.ts';

const declared = Object.entries({ ...unitApi, ...leaderApi });

const pattern = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replaceAll(/[.$]/g, '\\$&')
      .replace(/\/\{path\}$/, '/.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
  );

/** Our operation for a request: the one with the most specific path. */
export function operationOf({ method, path }: Pick<UiRequest, 'method' | 'path'>): string | undefined {
  return declared
    .filter(([, route]) => route.method === method && pattern(route.path).test(path))
    .map(([operation, route]) => ({ operation, open: route.path.split('{').length }))
    .sort((one, other) => one.open - other.open)[0]?.operation;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string): string => `\`${cell(text)}\``;

const looksAt = ({ answer, reads }: UiRequest): string => {
  if (answer === 'status') return 'only that it worked';
  if (answer === 'file') return 'a file';
  const shape = reads === undefined ? 'text' : code(shownShape(reads));
  return answer === 'task' ? `result of the task: ${shape}` : shape;
};

const row = (request: UiRequest): string =>
  `| ${code(requestTitle(request))} | ${operationOf(request) ?? ''} | ${request.level} | ${request.status} | ${looksAt(request)} |`;

const ruleRow = ({ rule, level }: UiRule): string => `| ${cell(rule)} | ${level} |`;

const section = ({ title, testFile, requests, rules }: UiPage): readonly string[] => [
  `## ${title}`,
  '',
  `Shown in \`tests/routes/ui-contract/${testFile}\`, each row by the test of its name below "${title}".`,
  '',
  ...(requests.length > 0
    ? ['| request | operation | needed | status | reads |', '|---|---|---|---|---|', ...requests.map(row), '']
    : []),
  ...(rules.length > 0 ? ['| relied on | needed |', '|---|---|', ...rules.map(ruleRow), ''] : []),
];

/** The whole page for people. */
export const thirdPartyUi = (pages: readonly UiPage[]): string =>
  [
    '# What a third-party user interface needs, and the tests that show it',
    '',
    'A widely used browser interface for bioreactors, with the names of this service (`reactor_unit`, `reactor/…`), asks for what stands',
    'here. The tables are made from the data that the tests are made from (`LCS_WRITE_COVERAGE=1 npx vitest run --project routes',
    'tests/routes/ui-contract` writes them): a row is a test that sends the request to a leader with a unit in a running',
    'experiment and checks every field that is named, with its type.',
    '',
    '*Needed*: `required`, the page does not render without it; `feature`, a part of it fails; `optional`, nobody notices. `{E}` is an',
    'experiment, `{U}` a unit, `{leader}` the unit name of the leader. In a shape `[…]` is a list with elements, `{*: …}` an object',
    'with any keys, `?` a key that may be missing; what is no kind of value is the value itself.',
    '',
    ...pages.flatMap(section),
  ].join('\n');
