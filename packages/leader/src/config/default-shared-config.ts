import { createHash } from 'node:crypto';
import { mqttSettings, type SettingDeclaration, settings, topologySettings, uiSettings } from '@lcs/domain';
import { parseIni } from '@lcs/platform';

/** The values in the first file of a new leader that differ between leaders. */
export interface SharedConfigDefaults {
  /** The leader's unit name. */
  readonly leader: string;
  /** Host name or IP address at which units and browsers reach the leader, without scheme and port. */
  readonly leaderAddress: string;
  /** Port of the HTTP server; browsers reach the broker there, too, at /mqtt. */
  readonly httpPort: number;
  /** Port of the broker for plain MQTT. */
  readonly brokerPort: number;
}

const header = `\
; Shared configuration of the cluster: the leader keeps it and sends it to every unit.
; A unit's own unit_config.ini takes precedence over it, key by key.
; A job reads its values when it starts; a running job keeps the earlier ones.
; Passwords do not belong in this file.`;

/** The values of the file that belong to one leader. */
const ownValues = ({ leader, leaderAddress, httpPort, brokerPort }: SharedConfigDefaults) =>
  new Map<SettingDeclaration, string>([
    [topologySettings.leaderHostname, leader],
    [topologySettings.leaderAddress, leaderAddress],
    [mqttSettings.brokerAddress, leaderAddress],
    [mqttSettings.brokerPort, String(brokerPort)],
    [mqttSettings.brokerWsPort, String(httpPort)],
    [uiSettings.port, String(httpPort)],
  ]);

/** The comment of a key: description, unit and allowed values. */
function commentOf({ description, unit, value }: SettingDeclaration): string {
  const choices = value.type === 'choice' ? value.choices : [];
  const missing = choices.filter((choice) => !description.includes(choice));
  const more = [
    unit === undefined ? '' : ` Unit: ${unit}.`,
    missing.length === 0 ? '' : ` One of: ${choices.join(', ')}.`,
  ];
  return `; ${description}${more.join('')}`;
}

/** The lines of a key; of `*`, those of its keys. */
function linesOf(setting: SettingDeclaration, own: ReadonlyMap<SettingDeclaration, string>): readonly string[] {
  const { key, inFile = '' } = setting;
  const values = typeof inFile === 'string' ? { [key]: own.get(setting) ?? inFile } : inFile;
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

function* sectionLines(
  keys: readonly SettingDeclaration[],
  own: ReadonlyMap<SettingDeclaration, string>,
): Generator<string> {
  let lastComment = '';
  for (const setting of keys) {
    const comment = commentOf(setting);
    if (comment !== lastComment) yield comment;
    lastComment = comment;
    yield* linesOf(setting, own);
  }
}

/**
 * The first shared configuration of a new leader. Simple parsers can read it: only `key=value`, comments on separate lines that begin
 * with `;`, each section once.
 */
export function defaultSharedConfig(defaults: SharedConfigDefaults): string {
  const own = ownValues(defaults);
  const sections = Map.groupBy(
    settings.filter(({ inFile }) => inFile !== undefined),
    ({ section }) => section,
  );
  const blocks = [...sections].map(([section, keys]) => [`[${section}]`, ...sectionLines(keys, own)].join('\n'));
  return `${[header, ...blocks].join('\n\n')}\n`;
}

const placeholders: SharedConfigDefaults = {
  leader: 'leader',
  leaderAddress: 'leader.local',
  httpPort: 4999,
  brokerPort: 1883,
};

/** SHA-256 of the files that earlier versions wrote, with `placeholders`: 26.11. */
const earlierFiles: ReadonlySet<string> = new Set(['6c880a64732386708e122b28ceac04c16c7cd54edff00b96e9cc99f83cc5aea7']);

/** Whether a text is unchanged since a leader wrote it, apart from addresses and ports. */
export function isAsShipped(text: string): boolean {
  const { document } = parseIni(text);
  const writtenValue = ({ section, key }: SettingDeclaration): string => document.get(section, key) ?? '';
  const own = ownValues({
    leader: writtenValue(topologySettings.leaderHostname),
    leaderAddress: writtenValue(topologySettings.leaderAddress),
    httpPort: Number(writtenValue(uiSettings.port)),
    brokerPort: Number(writtenValue(mqttSettings.brokerPort)),
  });
  if ([...own].some(([setting, value]) => writtenValue(setting) !== value)) return false;
  for (const [{ section, key }, value] of ownValues(placeholders)) document.set(section, key, value);
  const comparable = document.toString();
  const digest = createHash('sha256').update(comparable, 'utf8').digest('hex');
  return comparable === defaultSharedConfig(placeholders) || earlierFiles.has(digest);
}
