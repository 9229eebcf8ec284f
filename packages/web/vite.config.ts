import { existsSync, readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { routeAddresses } from './route-addresses.ts';

const folder = import.meta.dirname;
const leader = 'http://127.0.0.1:4999';

interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestAt = (path: string): Manifest => JSON.parse(readFileSync(`${path}/package.json`, 'utf8'));

const { version, dependencies = {} } = manifestAt(folder);

/** Where npm has put a library: beside the web UI, or at the root. */
const libraryFolder = (name: string): string =>
  [`${folder}/node_modules/${name}`, `${folder}/../../node_modules/${name}`].find(existsSync) ?? '';

/** For the page About. */
const libraries = Object.keys(dependencies)
  .filter((name) => !name.startsWith('@lcs/'))
  .map((name) => {
    const { version: own, license = 'unknown' } = manifestAt(libraryFolder(name));
    return { name, version: own, license };
  });

const experimentView =
  /[\\/]src[\\/](experiment[\\/](experiment-(page|header|context|tabs|end|switcher)|overview-tab|unit-strip|protection-notice|use-)|charts[\\/](?!band|chart-(csv|svg)|export-|fixed-)|experiments[\\/](experiment-text|use-dialogs)|protocols[\\/](running-profiles|use-run)|timeline[\\/](use-chart-events|chart-events|use-happenings))/;

export default defineConfig(({ command }) => ({
  root: folder,
  // The leader serves the built files below /static/ and index.html at every address of a page.
  base: command === 'build' ? '/static/' : '/',
  define: { __PAGE_VERSION__: JSON.stringify(version), __LIBRARIES__: JSON.stringify(libraries) },
  plugins: [routeAddresses(), react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // No data: addresses, so that the content security policy can stay narrow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // Libraries change seldom: browsers keep them over updates of the page.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
            // In forty files it took as many requests: one has what every page needs at once, one what several pages share.
            { name: 'start', tags: ['$initial'], priority: 1 },
            // The first view of an experiment, whose modules others need, too: a file each cost ten requests.
            { name: 'experiment', test: experimentView },
            // Of the first view only once something is asked or entered.
            {
              name: 'forms',
              test: /node_modules[\\/](@mantine[\\/]form|klona|fast-deep-equal)[\\/]|src[\\/]forms[\\/]/,
            },
            { name: 'long-table', test: /node_modules[\\/]@tanstack[\\/](react-virtual|virtual-core)[\\/]/ },
            // What checks the results of tasks; the start page and the first view of an experiment do without it.
            { name: 'checks', test: /node_modules[\\/]typebox[\\/]|contract[\\/]src[\\/]task-answers/, priority: 1 },
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The leader refuses changes that come from pages of other origins: to it, this one is its own.
    proxy: Object.fromEntries(
      ['/api', '/unit_api'].map((path) => [path, { target: leader, changeOrigin: true, headers: { origin: leader } }]),
    ),
  },
}));
