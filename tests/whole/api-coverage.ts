import { answersSeen, declared, matrix, specified } from './seen-answers.ts';

/** The answers of servers that tests have asserted, as a table. */
export function apiCoverage(observationsFolder: string): string {
  const seen = answersSeen(observationsFolder);
  const byRoute = new Map(declared.map((each) => [each.route, each]));
  const required = new Map(matrix.map(({ route, statuses }) => [route, statuses]));
  const row = (route: string, place: string): string => {
    const { operation = '', declaration } = byRoute.get(route) ?? {};
    const statuses = seen('asserted', route).filter((status) => seen('answered', route).includes(status));
    const isOld = declaration?.deprecated ? ' (deprecated)' : '';
    return `| ${route}${isOld} | ${operation} | ${place} | ${required.get(route)?.join(' ') ?? ''} | ${statuses.join(' ')} |`;
  };
  const ofSpecification = new Set(specified.map(({ route }) => route));
  const further = declared.map(({ route }) => route).filter((route) => !ofSpecification.has(route));
  const head = '| route | operation | section | required | asserted |\n|---|---|---|---|---|';
  return [
    '# Tested answers of the routes',
    '',
    '`npm test` compares this page with its own run (`tests/whole/api-coverage.test.ts`); `LCS_WRITE_COVERAGE=1` writes it. *Required* are the',
    'statuses of `tests/routes/status-matrix.tsv`, which people maintain; *asserted* are the statuses that a server sent and a test of',
    '`tests/routes` asserted.',
    '',
    `## The ${specified.length} routes of the specification`,
    '',
    head,
    ...specified.map(({ route, section }) => row(route, section)),
    '',
    `## ${further.length} further routes`,
    '',
    head,
    ...further.map((route) => row(route, '')),
    '',
  ].join('\n');
}
