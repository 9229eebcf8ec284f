import {
  type Handlers,
  leaderApi,
  type leaderSystemRoutes,
  openApiDocument,
  PreparedJson,
  unitApi,
} from '@lcs/contract';
import { lazy } from '@lcs/platform';
import type { LiveHub } from '../live/live-hub.ts';
import { type CurrentCaller, liveHandlers } from '../live/live-routes.ts';
import { referencePage, referencePolicy } from './reference-page.ts';

/** The live stream, the interface description and the reference made from it. */
export function leaderSystemHandlers(
  version: string,
  live: LiveHub,
  currentOf: CurrentCaller,
): Handlers<typeof leaderSystemRoutes> {
  const title = 'Leader Control Service';
  const description = 'Control and data interface of a cluster of small bioreactors.';
  const document = lazy(() => PreparedJson.of(openApiDocument({ title, version, description, api: leaderApi })));
  const page = lazy(() =>
    referencePage(openApiDocument({ title, version, description, api: { ...leaderApi, ...unitApi } })),
  );
  return {
    ...liveHandlers(live, currentOf),
    getLeaderOpenApi: () => ({ status: 200, body: document() }),
    browseReference: () => ({
      status: 200,
      body: page(),
      headers: { 'content-security-policy': referencePolicy(), 'referrer-policy': 'no-referrer' },
    }),
  };
}
