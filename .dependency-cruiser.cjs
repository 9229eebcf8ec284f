/**
 * The arrows of docs/architecture.md, held by a machine:
 * contract <- domain <- plugin-api <- node; contract <- platform <- {node, hardware}; {node, hardware} <- unit; node <- leader;
 * {unit, leader} <- cluster <- {cli, testkit}; web sees contract and domain only.
 */
const layers = {
  contract: [],
  domain: ['contract'],
  'plugin-api': ['contract', 'domain'],
  platform: ['contract'],
  node: ['contract', 'domain', 'plugin-api', 'platform'],
  hardware: ['contract', 'domain', 'platform'],
  unit: ['contract', 'domain', 'platform', 'node', 'hardware'],
  leader: ['contract', 'domain', 'platform', 'node'],
  cluster: ['contract', 'domain', 'platform', 'node', 'hardware', 'unit', 'leader'],
  cli: ['contract', 'domain', 'platform', 'node', 'cluster'],
  testkit: ['contract', 'domain', 'platform', 'node', 'hardware', 'unit', 'leader', 'cluster'],
  web: ['contract', 'domain'],
};

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `${name}-sees-only-what-is-below`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}));

/** Folders that every feature of the web UI stands on, lowest first; each sees those before it. */
const webBase = ['words', 'time', 'api', 'live', 'services', 'ui', 'tasks', 'forms', 'latest', 'code'];

/** The arrows between the folders of the web UI: each feature sees the base and the features named here. */
const webLayers = {
  ...Object.fromEntries(webBase.map((name, at) => [name, webBase.slice(0, at)])),
  charts: webBase,
  logs: webBase,
  timeline: [...webBase, 'charts'],
  alarms: webBase,
  audit: webBase,
  calibrations: [...webBase, 'charts', 'jobs'],
  config: webBase,
  inventory: [...webBase, 'alarms', 'units'],
  people: webBase,
  rehearsal: [...webBase, 'charts'],
  protocols: [...webBase, 'rehearsal', 'jobs'],
  palette: [...webBase, 'jobs'],
  settings: webBase,
  leaders: webBase,
  system: webBase,
  assignments: webBase,
  jobs: webBase,
  experiments: [...webBase, 'charts', 'jobs'],
  units: [...webBase, 'charts', 'assignments', 'jobs'],
  unit: [...webBase, 'assignments', 'calibrations', 'inventory', 'jobs', 'units'],
  now: [...webBase, 'alarms', 'calibrations', 'charts', 'jobs', 'inventory', 'experiments', 'protocols', 'units'],
  growth: [...webBase, 'charts'],
  compare: [...webBase, 'charts', 'experiments', 'growth'],
  experiment: [
    ...webBase,
    'audit',
    'charts',
    'growth',
    'logs',
    'timeline',
    'protocols',
    'assignments',
    'jobs',
    'units',
    'experiments',
  ],
  app: [
    ...webBase,
    'alarms',
    'assignments',
    'audit',
    'calibrations',
    'config',
    'inventory',
    'jobs',
    'leaders',
    'logs',
    'now',
    'palette',
    'people',
    'protocols',
    'settings',
    'system',
    'timeline',
    'experiments',
    'experiment',
    'compare',
    'unit',
  ],
};

/**
 * The folders of the leader, lowest floor first: each folder sees the folders of the floors below it and none of its own floor.
 */
const leaderFloors = [
  ['store', 'web-ui'],
  ['core'],
  ['sealed'],
  ['backups', 'broker', 'disk-space', 'fleet', 'models', 'queries', 'series'],
  ['access', 'machines'],
  ['archive', 'assignments', 'clock-corrections', 'follower', 'growth-curves', 'jobs', 'logs', 'replicate-groups'],
  ['calibrations', 'config', 'datasets', 'experiments', 'ingest', 'live', 'workers'],
  ['ingest-processes'],
  [
    ...[
      'actuations',
      'alarms',
      'bioreactor',
      'cameras',
      'charts',
      'demonstration',
      'derived',
      'descriptors',
      'exports',
    ],
    ...[
      'api-reference',
      'growth-summary',
      'interruptions',
      'latest',
      'media',
      'notes',
      'plugins',
      'profiles',
      'system',
      'unit-reads',
      'units',
    ],
  ],
  ['audit', 'capsules', 'mcp', 'metrics', 'moving-in', 'other-leaders'],
  ['timeline'],
  ['role'],
];

const leaderLayers = Object.fromEntries(
  leaderFloors.flatMap((floor, at) => floor.map((name) => [name, leaderFloors.slice(0, at).flat()])),
);

/** Holds the arrows between the folders of a package as those between packages are held; helpers of tests are free. */
const folderLayers = (packageName, allowedByFolder) => {
  const src = `^packages/${packageName}/src/`;
  return [
    ...Object.entries(allowedByFolder).map(([name, allowed]) => ({
      name: `${packageName}-${name}-sees-only-what-is-below`,
      severity: 'error',
      from: { path: `${src}${name}/`, pathNot: '\\.test\\.ts$' },
      to: { path: src, pathNot: `${src}(${[name, ...allowed].join('|')})/` },
    })),
    {
      name: `${packageName}-folder-is-in-the-list`,
      comment: 'A new folder needs its place in the layers of its package.',
      severity: 'error',
      from: { path: src, pathNot: `(\\.test\\.ts$|${src}testing/)` },
      to: { path: `${src}[^/]+/`, pathNot: `${src}(${Object.keys(allowedByFolder).join('|')})/` },
    },
  ];
};

module.exports = {
  forbidden: [
    ...layerRules,
    ...folderLayers('leader', leaderLayers),
    ...folderLayers('web', webLayers),
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'through-the-front-door',
      comment:
        'Another package is used through its index (what threads and small processes load, and what tests share, has its own), never by a file inside it.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^packages/([^/]+)/src/',
        pathNot: [
          '^packages/$1/',
          '^packages/[^/]+/src/((clock|growth-curves|ini|readings|testing|texts)/)?index\\.ts$',
          '^packages/contract/src/(durations|json|own-value)\\.ts$',
          '^packages/domain/src/boards\\.ts$',
          '^packages/platform/src/ini/config-secrets\\.ts$',
          '^packages/platform/src/process/(memory-rank|compile-cache|startup-error)\\.ts$',
          '^packages/platform/src/store/(open-sql-reader|store-error)\\.ts$',
          '^packages/platform/src/files/file-errors\\.ts$',
        ],
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
        pathNot: '(\\.test\\.ts$|^packages/testkit/|^packages/[^/]+/src/testing/|^(bench|tests)/)',
      },
      to: { path: '^packages/[^/]+/src/testing/' },
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
