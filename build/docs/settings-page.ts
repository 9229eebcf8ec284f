import { leaderFileSettings, type SettingDeclaration, settings } from '@lcs/domain';
import { code, page, table } from './markdown.ts';

function typeText({ value, unit }: SettingDeclaration): string {
  switch (value.type) {
    case 'number':
    case 'integer': {
      const { min, max, excludesMin, names = [] } = value;
      const least = min === undefined ? [] : [excludesMin ? `above ${min}` : `≥ ${min}`];
      const most = max === undefined ? [] : [`≤ ${max}`];
      const limits = min !== undefined && max !== undefined && !excludesMin ? [`${min}…${max}`] : [...least, ...most];
      const others = names.map((name) => ` or ${code(name)}`).join('');
      return `${[value.type, ...limits, ...(unit === undefined ? [] : [unit])].join(' ')}${others}`;
    }
    case 'boolean':
      return ['boolean', ...(value.names ?? []).map(code)].join(' or ');
    case 'choice':
      return value.choices.map(code).join(' or ');
    default:
      return value.type;
  }
}

const effect = { no: 'at once', job: "at the job's next start", node: 'at the next start of the node' } as const;
const nameOf = (key: string): string => (key === '*' ? 'any key' : code(key));

const tables = (declarations: readonly SettingDeclaration[]): readonly string[] =>
  [...Map.groupBy(declarations, ({ section }) => section)].map(([section, ofSection]) => {
    const rows = ofSection.map((setting) => [
      nameOf(setting.key),
      typeText(setting),
      setting.default === null ? 'none' : setting.default === '' ? 'empty' : code(setting.default),
      effect[setting.needsRestart],
      setting.description,
    ]);
    const head = ['key', 'type', 'default', 'takes effect', 'meaning'];
    return `## [${section}]\n\n${table(head, rows)}`;
  });

const source = '`packages/domain` (`src/settings`)';

/** The keys of the configuration files. */
export function settingsPage(): string {
  const note = [
    'The keys of `config.ini` and `unit_config.ini`. Rules of both files: [configuration](../interfaces/configuration.md).',
    'A boolean is `1`, `true`, `yes`, `on`, `0`, `false`, `no` or `off`. `[*.config]` holds for the section of any job that has none of its own.',
  ].join('\n');
  return page('Settings', source, [note, ...tables(settings)]);
}

/** The keys of the file of the leader's process. */
export function leaderSettingsPage(): string {
  const note = 'The keys of `leader.ini`. Its rules: [configuration](../interfaces/configuration.md#leaderini).';
  return page("Settings of the leader's process", source, [note, ...tables(leaderFileSettings)]);
}
