import type { ReactNode } from 'react';
import { BellIcon, CurveIcon, FlaskIcon, ListIcon, NowIcon, SlidersIcon, UnitIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';

/** A place of the main navigation. */
export interface Entry {
  readonly to: '/' | '/experiments' | '/units' | '/protocols' | '/calibrations' | '/alarms' | '/settings';
  readonly label: string;
  readonly icon: ReactNode;
  /** Words that people type in the search for it. */
  readonly synonyms: string;
}

export const entries: readonly Entry[] = [
  { to: '/', label: commonWords.now, synonyms: appWords.nowSynonyms, icon: <NowIcon /> },
  { to: '/experiments', label: commonWords.experiments, synonyms: appWords.experimentsSynonyms, icon: <FlaskIcon /> },
  { to: '/units', label: commonWords.units, synonyms: appWords.unitsSynonyms, icon: <UnitIcon /> },
  { to: '/protocols', label: commonWords.protocols, synonyms: appWords.protocolsSynonyms, icon: <ListIcon /> },
  {
    to: '/calibrations',
    label: commonWords.calibrations,
    synonyms: appWords.calibrationsSynonyms,
    icon: <CurveIcon />,
  },
  { to: '/alarms', label: commonWords.alarms, synonyms: appWords.alarmsSynonyms, icon: <BellIcon /> },
  { to: '/settings', label: commonWords.settings, synonyms: appWords.settingsSynonyms, icon: <SlidersIcon /> },
];

/** Whether a page is part of an entry: its own address, or below it. An experiment has its own entry while it runs. */
export const isAt = (pathname: string, { to }: Entry): boolean =>
  pathname === to || (to !== '/' && to !== '/experiments' && pathname.startsWith(`${to}/`));
