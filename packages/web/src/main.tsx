import './app/mantine.css';
import './app/page.css';
import './app/sizes.css';
import { callPath, leaderApi } from '@lcs/contract';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createLeaderClient, createNodeClient } from './api/clients.ts';
import { mayRecover } from './api/problem.ts';
import { queryKeys } from './api/query-keys.ts';
import { pauseWhileHidden } from './app/pause-while-hidden.ts';
import { createPageRouter } from './app/router.tsx';
import { SignInGate } from './app/sign-in-gate.tsx';
import { cssVariables, theme } from './app/theme.ts';
import { Toasts } from './app/toasts.tsx';
import { applyLiveEvent, liveEventNames } from './live/live-cache.ts';
import { createLiveConnection } from './live/live-connection.ts';
import { createLiveUpdates } from './live/live-updates.ts';
import { createByUnit } from './services/by-unit.ts';
import { createPinPrompt, needsPin } from './services/pin-prompt.ts';
import { createProviderReturn } from './services/provider-return.ts';
import { ServicesProvider } from './services/services.tsx';
import { createToasts } from './services/toasts.ts';
import { createUnsavedWork } from './services/unsaved-work.ts';
import { createPageClock } from './time/page-clock.ts';

const clock = createPageClock();
const unsavedWork = createUnsavedWork();
const updates = createLiveUpdates(clock);

const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream keeps the cache true; nothing grows old by itself.
      staleTime: Number.POSITIVE_INFINITY,
      // A laboratory network without the internet is "offline" to a browser.
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && mayRecover(error),
    },
    mutations: { networkMode: 'always' },
  },
});

const byUnit = createByUnit(cache, clock);
const toasts = createToasts();

const probeTimeoutMs = 5000;
const unauthorized = 401;

/** Only a response of the leader counts as a sign of life: a query may succeed without one. */
const noteAnswer = ({ ok, status }: Response): void => {
  if (ok) live.noteAnswer();
  // The session has ended: the answer to this query shows the sign-in.
  if (status === unauthorized) void cache.invalidateQueries({ queryKey: queryKeys.session });
};
const providerReturn = createProviderReturn();
const pinPrompt = createPinPrompt(clock);
const csrfToken = (method: string, path: string): Promise<string> | string | undefined => {
  const session = cache.getQueryData(queryKeys.session);
  return needsPin(session, method, path) ? pinPrompt.token() : (session?.csrf_token ?? undefined);
};
const leader = createLeaderClient(noteAnswer, csrfToken);
const node = createNodeClient(noteAnswer, csrfToken);

const live = createLiveConnection({
  clock,
  eventNames: liveEventNames,
  open: () => new EventSource(callPath(leaderApi.followLive)),
  onEvent: (name, text, id) => {
    const data = JSON.parse(text);
    applyLiveEvent(cache, name, data, clock.now());
    updates.take(name, data, id);
  },
  probe: async () => {
    await node.getHealth({ signal: AbortSignal.timeout(probeTimeoutMs) });
  },
  random: Math.random,
});

let wasLive = false;
live.subscribe(() => {
  const isLive = live.getState().phase === 'live';
  // The stream of a session that was ended elsewhere breaks: the answer to this query shows the sign-in.
  if (wasLive && !isLive) void cache.invalidateQueries({ queryKey: queryKeys.session });
  wasLive = isLive;
});
window.addEventListener('beforeunload', (event) => {
  if (unsavedWork.exists()) event.preventDefault();
});
// Only a page that somebody uses needs it.
document.addEventListener('focusin', () => void import('./ui/keep-focus.ts').then(({ keepFocus }) => keepFocus()), {
  once: true,
});
pauseWhileHidden(live, clock);
live.start();

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id root');
createRoot(container).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={localStorageColorSchemeManager({ key: 'lcs.colours' })}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={cache}>
        <ServicesProvider
          services={{
            leader,
            node,
            live,
            updates,
            clock,
            byUnit,
            toasts,
            unsavedWork,
            pinPrompt,
            providerReturn,
          }}
        >
          <SignInGate>
            <RouterProvider router={createPageRouter()} />
          </SignInGate>
          <Toasts />
        </ServicesProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
