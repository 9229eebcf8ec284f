import {
  type Handlers,
  leaderApi,
  type leaderSystemRoutes,
  openApiDocument,
  PreparedJson,
  unitApi,
} from '@lcs/contract';
import { referencePage } from '@lcs/platform';
import type { LiveHub } from '../live/live-hub.ts';
import { liveHandlers } from '../live/live-routes.ts';

/** The live stream, the interface description and the reference made from it. */
export function leaderSystemHandlers(version: string, live: LiveHub): Handlers<typeof leaderSystemRoutes> {
  const title = 'Leader Control Service';
  const description = 'Control and data interface of a cluster of small bioreactors.';
  const document = openApiDocument({ title, version, description, api: leaderApi });
  const page = referencePage(openApiDocument({ title, version, description, api: { ...leaderApi, ...unitApi } }));
  const openApi = { status: 200, body: PreparedJson.of(document) } as const;
  return {
    ...liveHandlers(live),
    getLeaderOpenApi: () => openApi,
    browseReference: () => ({ status: 200, body: page }),
  };
}
