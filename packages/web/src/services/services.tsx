import { createContext, type ReactNode, useContext } from 'react';
import type { LeaderClient, NodeClient } from '../api/clients.ts';
import type { LiveConnection } from '../live/live-connection.ts';
import type { LiveNews } from '../live/live-news.ts';
import type { PageClock } from '../time/page-clock.ts';
import type { UnsavedWork } from './unsaved-work.ts';

/** What the page is built from; made once in main.tsx and handed down. */
export interface Services {
  readonly leader: LeaderClient;
  readonly node: NodeClient;
  readonly live: LiveConnection;
  readonly news: LiveNews;
  readonly clock: PageClock;
  readonly unsavedWork: UnsavedWork;
}

const ServicesContext = createContext<Services | null>(null);

export function ServicesProvider({
  services,
  children,
}: {
  readonly services: Services;
  readonly children: ReactNode;
}) {
  return <ServicesContext value={services}>{children}</ServicesContext>;
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('useServices needs a ServicesProvider above it');
  return services;
}
