import { defaultExclude, defineConfig } from 'vitest/config';
import LongestFirst from './tests/longest-first.ts';

/**
 * All tests but the comparisons at the end run side by side, so that those which compute use the cores while others wait for
 * processes, time and browsers.
 */
const isOfPackages = process.env.LCS_PACKAGES !== undefined;
// The tests of the packages have machines of their own, and limits of processor time: one after the other.
const together = { groupOrder: 0, maxWorkers: isOfPackages ? 1 : 5 };
const atTheEnd = { groupOrder: 1, maxWorkers: 1 };

/**
 * A worker runs the files of one project only, and loads the sources once, which takes seconds of processor time: all that runs side by
 * side is one project. Its rings are folders: beside the code (`packages`; with processes of their own `*.process.test.ts`), clusters
 * over real sockets (`tests/routes`, `tests/cluster`), and pages in a browser (`tests/browser`). The other project compares what all
 * tests have shown (`whole`).
 */
const project = (name: string, include: string[], { groupOrder, maxWorkers }: typeof together, timeoutMs: number) => ({
  extends: true as const,
  test: {
    name,
    include,
    exclude: [...defaultExclude, ...longRuns],
    // No module keeps state, so files may share what they import: a quarter of the time.
    isolate: false,
    // Modules, requests and rows are made of young objects: with 16 to 32 MB for them, instead of 1 to 16, fewer are collected in vain.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    maxWorkers,
    sequence: { groupOrder },
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
});

/** The second half of a long run of generated requests: `npm run test:generated`. */
const longRuns = process.env.LCS_REQUESTS === undefined ? ['tests/cluster/generated/generated-requests-2.test.ts'] : [];

/** A fresh Debian, its service manager, and the packages on it: `npm run test:packages`. */
const packages = isOfPackages ? ['tests/packages/**/*.test.ts'] : [];

const sideBySide = ['packages/*/src/**/*.test.ts', 'tests/{routes,cluster,browser}/**/*.test.ts', ...packages];

export default defineConfig({
  test: {
    globalSetup: ['tests/test-ground.ts', 'tests/observations-folder.ts'],
    reporters: ['default', './tests/summary-reporter.ts'],
    // Node runs the sources as they are, as it does for users: a tenth less of processor time for the unit tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: LongestFirst },
    // What a test waits for comes by an event; on a busy machine it takes longer than the second of the default.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    projects: [
      project('side by side', sideBySide, together, 240_000),
      project('whole', ['tests/whole/**/*.test.ts'], atTheEnd, 10_000),
    ],
  },
});
