import { leaderApi } from '@lcs/contract';
import type { Requirement } from '../services/gate.ts';

/** A part of the settings. */
export interface SettingsPage {
  readonly to:
    | '/settings/configuration'
    | '/settings/plugins'
    | '/settings/backups'
    | '/settings/import'
    | '/settings/updates'
    | '/settings/people'
    | '/settings/audit'
    | '/settings/leader'
    | '/settings/about';
  readonly label: string;
  /** Words that people type in the search for it. */
  readonly synonyms: string;
  /** Whoever may not use this route does not see the page. */
  readonly needs?: Requirement;
}

export const settingsPages: readonly SettingsPage[] = [
  { to: '/settings/configuration', label: 'Configuration', synonyms: 'config ini parameters defaults smtp' },
  { to: '/settings/plugins', label: 'Plugins', synonyms: 'extensions install' },
  { to: '/settings/backups', label: 'Backups', synonyms: 'restore save disk storage' },
  {
    to: '/settings/import',
    label: 'Import',
    synonyms: 'pioreactor migrate move upload zip',
    needs: leaderApi.listImports,
  },
  { to: '/settings/updates', label: 'Updates', synonyms: 'upgrade version release' },
  { to: '/settings/people', label: 'People', synonyms: 'users accounts roles passwords tokens pin passkeys sessions' },
  { to: '/settings/audit', label: 'Audit', synonyms: 'history who trail', needs: leaderApi.listAudit },
  { to: '/settings/leader', label: 'Leader', synonyms: 'health disk clock network computer' },
  { to: '/settings/about', label: 'About', synonyms: 'version licence' },
];
