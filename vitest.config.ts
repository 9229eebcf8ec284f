import { defineConfig } from 'vitest/config';

/**
 * Rings of tests: beside the code and contract suites (`unit`), clusters over real sockets (`routes`, `cluster`), a browser
 * against a real cluster (`browser`), and at the end what looks at all that the others have shown (`whole`).
 */
const project = (name: string, include: string[], groupOrder: number, timeoutMs: number) => ({
  extends: true as const,
  test: {
    name,
    include,
    // No module keeps state, so files may share what they import: a quarter of the time.
    isolate: false,
    sequence: { groupOrder },
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
    // One more than the cores that are asked for: tests with processes and browsers wait for others.
    maxWorkers: 3,
    projects: [
      project('unit', ['packages/*/src/**/*.test.ts'], 0, 20_000),
      project('routes', ['tests/routes/**/*.test.ts'], 1, 20_000),
      project('cluster', ['tests/cluster/**/*.test.ts'], 1, 120_000),
      project('browser', ['tests/browser/**/*.test.ts'], 1, 60_000),
      project('whole', ['tests/whole/**/*.test.ts'], 2, 10_000),
    ],
  },
});
