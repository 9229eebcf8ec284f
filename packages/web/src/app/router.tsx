import type { ErrorComponentProps } from '@tanstack/react-router';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { type AlarmTab, alarmTabOf } from '../alarms/alarms-search.ts';
import { readCalibrationsSearch } from '../calibrations/calibrations-search.ts';
import { readCompareSearch } from '../compare/compare-search.ts';
import { readConfigSearch } from '../config/config-search.ts';
import { readFormerPart, readPageSearch } from '../experiment/page-search.ts';
import { readListSearch } from '../experiments/list-search.ts';
import { readLogSearch } from '../logs/log-search.ts';
import { NowPage } from '../now/now-page.tsx';
import { readNowSearch } from '../now/now-search.ts';
import { readEditorSearch } from '../protocols/editor-search.ts';
import { readUpdatesSearch } from '../settings/updates-search.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { readUnitSearch } from '../unit/unit-search.ts';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

/** Instead of a page that could not be drawn or loaded; the frame around it stays. */
function PageFailure({ error, reset }: ErrorComponentProps) {
  return <ProblemAlert error={error} onRetry={reset} />;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-frame.tsx'), 'SettingsFrame'),
});

const experiment = createRoute({
  getParentRoute: () => root,
  path: '/experiments/$experiment',
  validateSearch: readPageSearch,
  component: lazyRouteComponent(() => import('../experiment/experiment-page.tsx'), 'ExperimentPage'),
});

/** Addresses of earlier versions, which people have kept. */
const formerAddress = (path: string, to: '/settings/backups' | '/settings/people' | '/settings/audit') =>
  createRoute({
    getParentRoute: () => root,
    path,
    beforeLoad: () => {
      throw redirect({ to, replace: true });
    },
  });

const routeTree = root.addChildren([
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: readNowSearch,
    // Part of the first files: it is the start page.
    component: NowPage,
  }),
  createRoute({
    getParentRoute: () => root,
    // Until the first person exists, every page shows the set-up.
    path: '/setup',
    beforeLoad: () => {
      throw redirect({ to: '/', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    // The provider of an institution returns people to it; the sign-in is shown until they are signed in.
    path: '/sign-in',
    beforeLoad: () => {
      throw redirect({ to: '/', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/experiments',
    validateSearch: readListSearch,
    component: lazyRouteComponent(() => import('../experiments/experiments-page.tsx'), 'ExperimentsPage'),
  }),
  experiment.addChildren([
    createRoute({
      getParentRoute: () => experiment,
      path: '/',
      validateSearch: readFormerPart,
      beforeLoad: ({ params, search: { tab = 'overview', ...search } }) => {
        const to = `/experiments/$experiment/${tab}` as const;
        throw redirect({ to, params, search: readPageSearch(search), replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => experiment,
      path: 'overview',
      component: lazyRouteComponent(() => import('../experiment/overview-tab.tsx'), 'OverviewTab'),
    }),
    createRoute({
      getParentRoute: () => experiment,
      path: 'units',
      component: lazyRouteComponent(() => import('../experiment/units-tab.tsx'), 'UnitsTab'),
    }),
    createRoute({
      getParentRoute: () => experiment,
      path: 'timeline',
      component: lazyRouteComponent(() => import('../experiment/timeline-tab.tsx'), 'TimelineTab'),
    }),
    createRoute({
      getParentRoute: () => experiment,
      path: 'data',
      component: lazyRouteComponent(() => import('../experiment/data-tab.tsx'), 'DataTab'),
    }),
    createRoute({
      getParentRoute: () => experiment,
      path: 'setup',
      component: lazyRouteComponent(() => import('../experiment/setup-tab.tsx'), 'SetupTab'),
    }),
  ]),
  createRoute({
    getParentRoute: () => root,
    path: '/experiments/$experiment/profiles/$run',
    component: lazyRouteComponent(() => import('../protocols/run-page.tsx'), 'RunPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/compare',
    validateSearch: readCompareSearch,
    component: lazyRouteComponent(() => import('../compare/compare-page.tsx'), 'ComparePage'),
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
    // Addresses of earlier versions name the unit here.
    beforeLoad: ({ search: { unit, session } }) => {
      if (unit === undefined) return;
      const search = { tab: 'calibrations', ...(session !== undefined && { session }) } as const;
      throw redirect({ to: '/units/$unit', params: { unit }, search, replace: true });
    },
    component: lazyRouteComponent(() => import('../calibrations/calibrations-page.tsx'), 'CalibrationsPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/alarms',
    validateSearch: ({ tab }: Record<string, unknown>): { tab?: AlarmTab } => {
      const known = alarmTabOf(tab);
      return known === undefined ? {} : { tab: known };
    },
    // Addresses of earlier versions name the page in the search part.
    beforeLoad: ({ search: { tab = 'now' } }) => {
      throw redirect({ to: '/alarms/$page', params: { page: tab }, replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/alarms/$page',
    component: lazyRouteComponent(() => import('../alarms/alarms-page.tsx'), 'AlarmsPage'),
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
    path: '/config',
    validateSearch: readConfigSearch,
    beforeLoad: ({ search }) => {
      throw redirect({ to: '/settings/configuration', search, replace: true });
    },
  }),
  formerAddress('/system', '/settings/backups'),
  formerAddress('/people', '/settings/people'),
  formerAddress('/audit', '/settings/audit'),
  settings.addChildren([
    createRoute({
      getParentRoute: () => settings,
      path: '/',
      beforeLoad: () => {
        throw redirect({ to: '/settings/configuration', replace: true });
      },
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'configuration',
      validateSearch: readConfigSearch,
      component: lazyRouteComponent(() => import('../config/config-page.tsx'), 'ConfigPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'plugins',
      component: lazyRouteComponent(() => import('../system/system-pages.tsx'), 'PluginsPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'backups',
      component: lazyRouteComponent(() => import('../system/system-pages.tsx'), 'BackupsPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'people',
      component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'PeoplePage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'audit',
      component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'log',
      validateSearch: readLogSearch,
      component: lazyRouteComponent(() => import('../logs/cluster-log-page.tsx'), 'ClusterLogPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'leader',
      component: lazyRouteComponent(() => import('../settings/leader-page.tsx'), 'LeaderPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'updates',
      validateSearch: readUpdatesSearch,
      component: lazyRouteComponent(() => import('../settings/updates-page.tsx'), 'UpdatesPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'import',
      component: lazyRouteComponent(() => import('../settings/imports-page.tsx'), 'ImportsPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'leaders',
      component: lazyRouteComponent(() => import('../leaders/leaders-page.tsx'), 'LeadersPage'),
    }),
    createRoute({
      getParentRoute: () => settings,
      path: 'about',
      component: lazyRouteComponent(() => import('../settings/about-page.tsx'), 'AboutPage'),
    }),
  ]),
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
