import type { ErrorComponentProps } from '@tanstack/react-router';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { readAlarmsSearch } from '../alarms/alarms-search.ts';
import { readCalibrationsSearch } from '../calibrations/calibrations-search.ts';
import { readConfigSearch } from '../config/config-search.ts';
import { readPageSearch } from '../experiment/page-search.ts';
import { readListSearch } from '../experiments/list-search.ts';
import { readEditorSearch } from '../protocols/editor-search.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { readUnitSearch } from '../unit/unit-search.ts';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

/** Instead of a page that could not be drawn or loaded; the frame around it stays. */
function PageFailure({ error, reset }: ErrorComponentProps) {
  return <ProblemAlert error={error} onRetry={reset} />;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/experiments', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    // Until the first person exists, every page shows the set-up.
    path: '/setup',
    beforeLoad: () => {
      throw redirect({ to: '/experiments', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    // The provider of an institution returns people to it; the sign-in is shown until they are signed in.
    path: '/sign-in',
    beforeLoad: () => {
      throw redirect({ to: '/experiments', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/experiments',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('../experiments/experiments-page.tsx'), 'ExperimentsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/experiments/$experiment',
    validateSearch: readPageSearch,
    component: lazyRouteComponent(() => import('../experiment/experiment-page.tsx'), 'ExperimentPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/experiments/$experiment/profiles/$run',
    component: lazyRouteComponent(() => import('../protocols/run-page.tsx'), 'RunPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/protocols',
    component: lazyRouteComponent(() => import('../protocols/protocols-page.tsx'), 'ProtocolsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/protocols/$file',
    validateSearch: readEditorSearch,
    component: lazyRouteComponent(() => import('../protocols/editor-page.tsx'), 'EditorPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/calibrations',
    validateSearch: readCalibrationsSearch,
    component: lazyRouteComponent(() => import('../calibrations/calibrations-page.tsx'), 'CalibrationsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/config',
    validateSearch: readConfigSearch,
    component: lazyRouteComponent(() => import('../config/config-page.tsx'), 'ConfigPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/alarms',
    validateSearch: readAlarmsSearch,
    component: lazyRouteComponent(() => import('../alarms/alarms-page.tsx'), 'AlarmsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people',
    component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/units',
    component: lazyRouteComponent(() => import('../inventory/inventory-page.tsx'), 'InventoryPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/units/$unit',
    validateSearch: readUnitSearch,
    component: lazyRouteComponent(() => import('../unit/unit-page.tsx'), 'UnitPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/system',
    component: lazyRouteComponent(() => import('../system/system-page.tsx'), 'SystemPage'),
  }),
]);

/** The addresses of the pages. */
export const createPageRouter = () =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultErrorComponent: PageFailure,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}
