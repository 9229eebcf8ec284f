import type { Plugin } from 'rolldown';

const id = '\0http-without-fetch';

/**
 * Modules that import `node:http` read all of its exports, also `WebSocket`, with which the engine loads its whole `fetch`: 35 ms of
 * processor time and 14 MB for each process. Taken as an object, it loads that when a program fetches. A name that is not in the list
 * fails the build.
 */
export const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: (source, _importer, { kind }) =>
    kind === 'import-statement' && ['node:http', 'http'].includes(source) ? id : undefined,
  load: (module) =>
    module === id
      ? `const http = process.getBuiltinModule('node:http');
        export default http;
        export const { Agent, ServerResponse, createServer, request } = http;`
      : undefined,
};
