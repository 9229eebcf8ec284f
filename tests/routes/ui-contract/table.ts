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

const readText = ({ answer, reads }: UiRequest): string => {
  if (answer === 'status') return 'the status only';
  if (answer === 'file') return 'a file';
  const shape = reads === undefined ? 'text' : code(shownShape(reads));
  return answer === 'task' ? `result of the task: ${shape}` : shape;
};

const row = (request: UiRequest): string =>
  `| ${code(requestTitle(request))} | ${operationOf(request) ?? ''} | ${request.level} | ${request.status} | ${readText(request)} |`;

const ruleRow = ({ rule, level }: UiRule): string => `| ${cell(rule)} | ${level} |`;

const section = ({ title, testFile, requests, rules }: UiPage): readonly string[] => [
  `## ${title}`,
  '',
  `Tests: \`tests/routes/ui-contract/${testFile}\`, below "${title}", with the names of the rows.`,
  '',
  ...(requests.length > 0
    ? ['| request | operation | needed | status | reads |', '|---|---|---|---|---|', ...requests.map(row), '']
    : []),
  ...(rules.length > 0 ? ['| assumption | needed |', '|---|---|', ...rules.map(ruleRow), ''] : []),
];

/** The whole page. */
export const thirdPartyUi = (pages: readonly UiPage[]): string =>
  [
    '# Requests of a third-party user interface, and their tests',
    '',
    'A widely used browser interface for bioreactors sends these requests, with the names of this service (`reactor_unit`, `reactor/…`).',
    'Tests and tables are generated from the same data; to write the tables, run',
    '`LCS_WRITE_COVERAGE=1 npx vitest run tests/routes/ui-contract`. Each row is a test. It sends the request to a leader',
    'with a unit in a running experiment and checks every listed field with its type.',
    '',
    '*Needed*: `required`, the page does not render without it; `feature`, a part of the page fails; `optional`, no visible effect. `{E}` is',
    'an experiment, `{U}` a unit, `{leader}` the unit name of the leader. In a shape, `[…]` is a list with elements, `{*: …}` an object with',
    'any keys, and `?` a key that may be missing. Any other text is the value itself.',
    '',
    ...pages.flatMap(section),
  ].join('\n');
