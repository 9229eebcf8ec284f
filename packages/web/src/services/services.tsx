import { createContext, type ReactNode, useContext, useEffect } from 'react';
import type { LeaderClient, NodeClient } from '../api/clients.ts';
import type { LiveConnection } from '../live/live-connection.ts';
import type { LiveUpdates } from '../live/live-updates.ts';
import type { PageClock } from '../time/page-clock.ts';
import type { ByUnit } from './by-unit.ts';
import type { PinPrompt } from './pin-prompt.ts';
import type { ProviderReturn } from './provider-return.ts';
import type { Toasts } from './toasts.ts';
import type { UnsavedWork } from './unsaved-work.ts';

/** The services of the web UI; main.tsx creates them once. */
export interface Services {
  readonly leader: LeaderClient;
  readonly node: NodeClient;
  readonly live: LiveConnection;
  readonly updates: LiveUpdates;
  readonly clock: PageClock;
  readonly byUnit: ByUnit;
  readonly toasts: Toasts;
  readonly unsavedWork: UnsavedWork;
  readonly pinPrompt: PinPrompt;
  readonly providerReturn: ProviderReturn;
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

/** Of the dialog around a component. */
const DialogWorkContext = createContext<UnsavedWork | null>(null);
export const DialogWorkProvider = DialogWorkContext.Provider;

/** Holds it while `isUnsaved`. */
export function useHold(work: UnsavedWork, isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? work.hold() : undefined), [isUnsaved, work]);
}

/**
 * While `unsaved`, the web UI does not reload by itself, the browser asks before it closes the page, and the dialog around the component asks
 * before it closes.
 */
export function useUnsavedWork(unsaved: boolean): void {
  const { unsavedWork } = useServices();
  useHold(useContext(DialogWorkContext) ?? unsavedWork, unsaved);
}
