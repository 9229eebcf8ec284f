import { fileURLToPath } from 'node:url';
import { leaderApi, nodeApi, type RouteDeclaration } from '@lcs/contract';
import type { Plugin } from 'vite';

/** What the web UI needs of a route while it runs; its types come from the whole declaration. */
function addressOf({ method, path, permission, upload }: RouteDeclaration) {
  return { method, path, permission, ...(upload && { upload: { field: upload.field } }) };
}

const addressesOf = (api: Readonly<Record<string, RouteDeclaration>>) =>
  Object.fromEntries(Object.entries(api).map(([operation, route]) => [operation, addressOf(route)]));

/** The module of the routes, without shapes and texts, which are most of it. */
const addressesModule = (): string =>
  Object.entries({ leaderApi, nodeApi })
    .map(([name, api]) => `export const ${name} = ${JSON.stringify(addressesOf(api))};`)
    .join('\n');

const routesFile = fileURLToPath(import.meta.resolve('@lcs/contract')).replace(/index\.ts$/, 'routes/index.ts');

/** Replaces the declarations of all routes by their addresses: a client sends requests and receives answers, it checks neither. */
export const routeAddresses = (): Plugin => ({
  name: 'route-addresses',
  enforce: 'pre',
  load: (id) => (id.split('?', 1)[0] === routesFile ? addressesModule() : null),
});
