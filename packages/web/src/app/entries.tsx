import type { ReactNode } from 'react';
import { BellIcon, CurveIcon, FlaskIcon, ListIcon, NowIcon, SlidersIcon, UnitIcon } from '../ui/icons.tsx';

/** A place of the main navigation. */
export interface Entry {
  readonly to: '/' | '/experiments' | '/units' | '/protocols' | '/calibrations' | '/alarms' | '/settings';
  readonly label: string;
  readonly icon: ReactNode;
}

export const entries: readonly Entry[] = [
  { to: '/', label: 'Now', icon: <NowIcon /> },
  { to: '/experiments', label: 'Experiments', icon: <FlaskIcon /> },
  { to: '/units', label: 'Units', icon: <UnitIcon /> },
  { to: '/protocols', label: 'Protocols', icon: <ListIcon /> },
  { to: '/calibrations', label: 'Calibrations', icon: <CurveIcon /> },
  { to: '/alarms', label: 'Alarms', icon: <BellIcon /> },
  { to: '/settings', label: 'Settings', icon: <SlidersIcon /> },
];

/** Whether a page is part of an entry: its own address, or below it. An experiment has its own entry while it runs. */
export const isAt = (pathname: string, { to }: Entry): boolean =>
  pathname === to || (to !== '/' && to !== '/experiments' && pathname.startsWith(`${to}/`));
