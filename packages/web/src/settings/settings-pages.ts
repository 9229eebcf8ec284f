import { leaderApi } from '@lcs/contract';
import type { Requirement } from '../services/gate.ts';
import { commonWords } from '../words/common.ts';
import { leadersWords } from '../words/leaders.ts';
import { settingsWords } from '../words/settings.ts';

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
    | '/settings/log'
    | '/settings/leader'
    | '/settings/leaders'
    | '/settings/about';
  readonly label: string;
  /** Words that people type in the search for it. */
  readonly synonyms: string;
  /** Whoever may not use this route does not see the page. */
  readonly needs?: Requirement;
}

export const settingsPages: readonly SettingsPage[] = [
  { to: '/settings/configuration', label: commonWords.configuration, synonyms: settingsWords.configurationSynonyms },
  { to: '/settings/plugins', label: commonWords.plugins, synonyms: settingsWords.pluginsSynonyms },
  { to: '/settings/backups', label: commonWords.backups, synonyms: settingsWords.backupsSynonyms },
  {
    to: '/settings/import',
    label: settingsWords.import,
    synonyms: settingsWords.importSynonyms,
    needs: leaderApi.listImports,
  },
  { to: '/settings/updates', label: settingsWords.updates, synonyms: settingsWords.updatesSynonyms },
  { to: '/settings/people', label: commonWords.people, synonyms: settingsWords.peopleSynonyms },
  {
    to: '/settings/audit',
    label: commonWords.audit,
    synonyms: settingsWords.auditSynonyms,
    needs: leaderApi.listAudit,
  },
  { to: '/settings/log', label: settingsWords.log, synonyms: settingsWords.logSynonyms, needs: leaderApi.listLogs },
  { to: '/settings/leader', label: commonWords.leader, synonyms: settingsWords.leaderSynonyms },
  {
    to: '/settings/leaders',
    label: leadersWords.pageName,
    synonyms: leadersWords.synonyms,
    needs: leaderApi.listOtherLeaders,
  },
  { to: '/settings/about', label: settingsWords.about, synonyms: settingsWords.aboutSynonyms },
];
