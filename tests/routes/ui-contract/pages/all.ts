import type { UiPage } from '../page.ts';
import { broker } from './broker.ts';
import { calibrations } from './calibrations.ts';
import { configuration } from './configuration.ts';
import { experiments, plugins } from './experiments.ts';
import { inventory, leaderPage } from './inventory.ts';
import { logs } from './logs.ts';
import { overview } from './overview.ts';
import { profiles } from './profiles.ts';
import { shell } from './shell.ts';
import { oneUnit, units } from './units.ts';

/** In the order of the table, by the name that test files know them by. */
export const pagesByName: Readonly<Record<string, UiPage>> = {
  shell,
  overview,
  units,
  oneUnit,
  logs,
  profiles,
  configuration,
  inventory,
  leaderPage,
  calibrations,
  experiments,
  plugins,
  broker,
};

export const allPages = Object.values(pagesByName);
