import path from 'node:path';
import { buildIfStale } from './build-if-stale.ts';

/** `npm run build`: the page and the program's bundle, each only when it is out of date. */
const repository = path.dirname(import.meta.dirname);
const packages = path.join(repository, 'packages');
const web = path.join(packages, 'web');
const lockFile = path.join(repository, 'package-lock.json');
const sourcesOf = (...names: string[]) => names.map((name) => path.join(packages, name, 'src'));

await buildIfStale({
  name: 'page',
  inputs: [
    ...['index.html', 'vite.config.ts', 'package.json', 'src'].map((name) => path.join(web, name)),
    ...sourcesOf('contract', 'domain'),
    lockFile,
  ],
  dist: path.join(web, 'dist'),
  build: async (outDir) => {
    const { build } = await import('vite');
    await build({ configFile: path.join(web, 'vite.config.ts'), logLevel: 'warn', build: { outDir } });
  },
});

await buildIfStale({
  name: 'program',
  inputs: [
    ...sourcesOf('contract', 'domain', 'platform', 'hardware', 'unit', 'leader', 'cluster', 'cli'),
    path.join(packages, 'platform', 'package.json'),
    path.join(packages, 'hardware', 'package.json'),
    path.join(import.meta.dirname, 'main.ts'),
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
        'reader-worker': path.join(packages, 'leader/src/series/reader-worker.ts'),
        'guard-process': path.join(packages, 'hardware/src/guard/guard-process.ts'),
        'board-process': path.join(packages, 'hardware/src/board-process/board-process.ts'),
        'vial-plant-module': path.join(packages, 'hardware/src/vial-plant/vial-plant-module.ts'),
      },
      platform: 'node',
      logLevel: 'warn',
    });
    await bundle.write({ dir, format: 'esm', sourcemap: true });
    await bundle.close();
  },
});
