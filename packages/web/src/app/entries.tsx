import type { ReactNode } from 'react';
import { BellIcon, CurveIcon, FlaskIcon, ListIcon, NowIcon, SlidersIcon, UnitIcon } from '../ui/icons.tsx';

/** A place of the main navigation. */
export interface Entry {
  readonly to: '/' | '/experiments' | '/units' | '/protocols' | '/calibrations' | '/alarms' | '/settings';
  readonly label: string;
  readonly icon: ReactNode;
  /** Words that people type in the search for it. */
  readonly synonyms: string;
}

export const entries: readonly Entry[] = [
  { to: '/', label: 'Now', synonyms: 'home start dashboard tiles', icon: <NowIcon /> },
  { to: '/experiments', label: 'Experiments', synonyms: 'runs archive compare search', icon: <FlaskIcon /> },
  { to: '/units', label: 'Units', synonyms: 'reactors workers bioreactors inventory add unit', icon: <UnitIcon /> },
  { to: '/protocols', label: 'Protocols', synonyms: 'profiles schedule program rehearsal ramp', icon: <ListIcon /> },
  {
    to: '/calibrations',
    label: 'Calibrations',
    synonyms: 'blanks blank pump calibrate standards curves od',
    icon: <CurveIcon />,
  },
  { to: '/alarms', label: 'Alarms', synonyms: 'alerts warnings faults errors acknowledge', icon: <BellIcon /> },
  { to: '/settings', label: 'Settings', synonyms: 'preferences options', icon: <SlidersIcon /> },
];

/** Whether a page is part of an entry: its own address, or below it. An experiment has its own entry while it runs. */
export const isAt = (pathname: string, { to }: Entry): boolean =>
  pathname === to || (to !== '/' && to !== '/experiments' && pathname.startsWith(`${to}/`));
