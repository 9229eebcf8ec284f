/**
 * The arrows of docs/architecture.md, held by a machine:
 * contract <- domain <- plugin-api <- platform <- {hardware <- unit, leader} <- cluster <- {cli, testkit}; web sees contract and domain only.
 */
const layers = {
  contract: [],
  domain: ['contract'],
  'plugin-api': ['contract', 'domain'],
  platform: ['contract', 'domain', 'plugin-api'],
  hardware: ['contract', 'domain', 'platform'],
  unit: ['contract', 'domain', 'platform', 'hardware'],
  leader: ['contract', 'domain', 'platform'],
  cluster: ['contract', 'domain', 'platform', 'hardware', 'unit', 'leader'],
  cli: ['contract', 'domain', 'platform', 'cluster'],
  testkit: ['contract', 'domain', 'platform', 'hardware', 'unit', 'leader', 'cluster'],
  web: ['contract', 'domain'],
};

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `${name}-sees-only-what-is-below`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'through-the-front-door',
      comment:
        'Another package is used through its index (the clock and what tests share by their own), never by a file inside it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/([^/]+)/src/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/src/((clock|testing)/)?index\\.ts$'],
      },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { pathNot: '\\.test\\.ts$' },
      to: { path: '\\.test\\.ts$' },
    },
    {
      name: 'no-testing-door-in-production',
      severity: 'error',
      from: {
        pathNot: '(\\.test\\.ts$|/test-[^/]+\\.ts$|^packages/testkit/|^packages/(platform|cli)/src/testing/|^tests/)',
      },
      to: { path: '^packages/(platform|cli)/src/testing/' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
