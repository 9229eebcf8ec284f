import { leaderApi } from '@lcs/contract';
import type { Requirement } from '../services/gate.ts';

/** A part of the settings. */
export interface SettingsPage {
  readonly to:
    | '/settings/configuration'
    | '/settings/plugins'
    | '/settings/backups'
    | '/settings/updates'
    | '/settings/people'
    | '/settings/audit'
    | '/settings/leader'
    | '/settings/about';
  readonly label: string;
  /** Whoever may not use this route does not see the page. */
  readonly needs?: Requirement;
}

export const settingsPages: readonly SettingsPage[] = [
  { to: '/settings/configuration', label: 'Configuration' },
  { to: '/settings/plugins', label: 'Plugins' },
  { to: '/settings/backups', label: 'Backups' },
  { to: '/settings/updates', label: 'Updates' },
  { to: '/settings/people', label: 'People' },
  { to: '/settings/audit', label: 'Audit', needs: leaderApi.listAudit },
  { to: '/settings/leader', label: 'Leader' },
  { to: '/settings/about', label: 'About' },
];
