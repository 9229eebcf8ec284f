import path from 'node:path';
import { buildIfStale } from './build-if-stale.ts';
import { compressFiles } from './compress-files.ts';
import { httpWithoutFetch } from './http-without-fetch.ts';

/** `npm run build`: the page and the program's bundle, each only when it is out of date. */
const repository = path.dirname(import.meta.dirname);
const packages = path.join(repository, 'packages');
const web = path.join(packages, 'web');
const lockFile = path.join(repository, 'package-lock.json');
/**
 * A running program keeps the text of its code, with two bytes a character where one of them is not ASCII: some 12 MB of a
 * leader. Functions and classes keep their names, because logs and errors contain them.
 */
const smallInMemory = {
  compress: { keepNames: { function: true, class: true } },
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true, asciiOnly: true },
} as const;
const sourcesOf = (...names: string[]) => names.map((name) => path.join(packages, name, 'src'));

await buildIfStale({
  name: 'page',
  inputs: [
    ...['index.html', 'vite.config.ts', 'route-addresses.ts', 'package.json', 'src'].map((name) =>
      path.join(web, name),
    ),
    ...sourcesOf('contract', 'domain'),
    path.join(import.meta.dirname, 'compress-files.ts'),
    lockFile,
  ],
  dist: path.join(web, 'dist'),
  build: async (outDir) => {
    const { build } = await import('vite');
    await build({ configFile: path.join(web, 'vite.config.ts'), logLevel: 'warn', build: { outDir } });
    await compressFiles(outDir);
  },
});

await buildIfStale({
  name: 'program',
  inputs: [
    ...sourcesOf(
      'contract',
      'domain',
      'plugin-api',
      'platform',
      'node',
      'hardware',
      'unit',
      'leader',
      'cluster',
      'cli',
    ),
    path.join(packages, 'platform', 'package.json'),
    path.join(packages, 'node', 'package.json'),
    path.join(packages, 'hardware', 'package.json'),
    path.join(import.meta.dirname, 'main.ts'),
    path.join(import.meta.dirname, 'http-without-fetch.ts'),
    lockFile,
  ],
  dist: path.join(packages, 'cli', 'dist'),
  build: async (dir) => {
    const { rolldown } = await import('rolldown');
    const bundle = await rolldown({
      input: {
        main: path.join(packages, 'cli/src/main.ts'),
        'writer-worker': path.join(packages, 'platform/src/store/writer-worker.ts'),
        'integrity-worker': path.join(packages, 'platform/src/store/integrity-worker.ts'),
        'snapshot-worker': path.join(packages, 'platform/src/store/snapshot-worker.ts'),
        'postgres-reader-worker': path.join(packages, 'platform/src/store/postgres/postgres-reader-worker.ts'),
        'text-worker': path.join(packages, 'node/src/texts/text-worker.ts'),
        'reader-worker': path.join(packages, 'leader/src/series/reader-worker.ts'),
        'archive-worker': path.join(packages, 'leader/src/archive/archive-worker.ts'),
        'sealed-reader-worker': path.join(packages, 'leader/src/sealed/sealed-reader-worker.ts'),
        'capsule-worker': path.join(packages, 'leader/src/capsules/capsule-worker.ts'),
        'import-worker': path.join(packages, 'leader/src/moving-in/import-worker.ts'),
        'growth-worker': path.join(packages, 'leader/src/growth-summary/growth-worker.ts'),
        'dataset-worker': path.join(packages, 'leader/src/exports/dataset-worker.ts'),
        'plugin-process': path.join(packages, 'node/src/plugins/plugin-process.ts'),
        'plugin-api': path.join(packages, 'plugin-api/src/index.ts'),
        'guard-process': path.join(packages, 'hardware/src/guard/guard-process.ts'),
        'switch-off-process': path.join(packages, 'hardware/src/guard/switch-off-process.ts'),
        'rehearsal-process': path.join(packages, 'cluster/src/rehearsal/rehearsal-process.ts'),
        'board-process': path.join(packages, 'hardware/src/board-process/board-process.ts'),
        'vial-plant-module': path.join(packages, 'hardware/src/vial-plant/vial-plant-module.ts'),
      },
      resolve: { alias: { 'buffer-crc32': path.join(packages, 'node/src/archives/buffer-crc32.ts') } },
      plugins: [httpWithoutFetch],
      platform: 'node',
      logLevel: 'warn',
    });
    // A notice with an umlaut would double what its file takes; licences of what is bundled lie in `node_modules`.
    await bundle.write({ dir, format: 'esm', sourcemap: true, minify: smallInMemory, comments: { legal: false } });
    await bundle.close();
  },
});
