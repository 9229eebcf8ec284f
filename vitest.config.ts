import { configDefaults, defineConfig } from 'vitest/config';
import LongestFirst from './tests/longest-first.ts';

interface Group {
  /** Groups run one after the other. */
  readonly order: number;
  readonly maxWorkers: number;
}

/** Tests that compute: one more than the cores that are asked for. */
const computing: Group = { order: 0, maxWorkers: 3 };
/** Tests that wait for processes and browsers half of their time. */
const waiting: Group = { order: 1, maxWorkers: 4 };
const last: Group = { order: 2, maxWorkers: 1 };

const inProcesses = 'packages/*/src/**/*.process.test.ts';

/**
 * Rings of tests: beside the code (`unit`), the same with processes of their own (`process`), clusters over real sockets
 * (`routes`, `cluster`), a browser against a real cluster (`browser`), and at the end comparisons of all that the others have
 * shown (`whole`).
 */
const project = (
  name: string,
  include: string[],
  { order, maxWorkers }: Group,
  timeoutMs: number,
  globalSetup: string[] = [],
) => ({
  extends: true as const,
  test: {
    name,
    include,
    globalSetup,
    exclude: name === 'unit' ? [...configDefaults.exclude, inProcesses] : configDefaults.exclude,
    // No module keeps state, so files may share what they import: a quarter of the time.
    isolate: false,
    maxWorkers,
    sequence: { groupOrder: order },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
});

export default defineConfig({
  test: {
    globalSetup: ['tests/test-ground.ts', 'tests/observations-folder.ts'],
    reporters: ['default', './tests/summary-reporter.ts'],
    // Node runs the sources as they are, as it does for users: a tenth less of processor time for the unit tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts'], computing, 20_000),
      project('process', [inProcesses], waiting, 60_000),
      project('routes', ['tests/routes/**/*.test.ts'], waiting, 20_000),
      project('cluster', ['tests/cluster/**/*.test.ts'], waiting, 120_000),
      project('browser', ['tests/browser/**/*.test.ts'], waiting, 60_000, ['tests/browser/browser-server.ts']),
      project('whole', ['tests/whole/**/*.test.ts'], last, 10_000),
    ],
  },
});
