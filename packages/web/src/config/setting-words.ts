import type { SettingDeclaration } from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';

/** The sections of the form in its order, with their titles: first what belongs to a culture, then the hardware, then the leader. */
const titles: ReadonlyMap<string, string> = new Map([
  ['bioreactor', 'Vial and bottles'],
  ['stirring.config', 'Stirring'],
  ['stirring.pid', 'Stirring: controller'],
  ['od_reading.config', 'OD reading'],
  ['growth_rate_calculating.config', 'Growth rate'],
  ['dosing_automation.config', 'Dosing'],
  ['dosing_automation.turbidostat', 'Dosing: turbidostat'],
  ['dosing_automation.pid_morbidostat', 'Dosing: morbidostat (PID)'],
  ['temperature_automation.thermostat', 'Temperature: thermostat'],
  ['camera', 'Camera'],
  ['PWM', 'Power outputs'],
  ['leds', 'LEDs'],
  ['od_config.photodiode_channel', 'Photodiodes'],
  ['monitor.config', 'Unit monitor'],
  ['resume', 'Restart of jobs after a power failure'],
  ['outbox', 'Storage on the units'],
  ['ui.overview.settings', 'Charts'],
  ['ui.overview.charts', 'Shown charts'],
  ['backup', 'Backups'],
  ['export', 'Exports'],
  ['plugins', 'Plugins'],
  ['mcp', 'AI assistants'],
  ['cluster.topology', 'Leader'],
  ['cluster.addresses', 'Addresses of units'],
  ['mqtt', 'Broker'],
  ['ui', 'Web UI'],
]);

/** Orders sections as the form shows them; others follow. */
export function bySectionOrder(left: string, right: string): number {
  const order = [...titles.keys()];
  const place = (section: string): number => (titles.has(section) ? order.indexOf(section) : order.length);
  return place(left) - place(right);
}

export const sectionTitle = (section: string): string =>
  titles.get(section) ?? labelFromName(section.replace(/\.config$/, '').replaceAll('.', ': '));

/** Words of keys that are not written as other words. */
const spellings: Readonly<Record<string, string>> = {
  od: 'OD',
  ir: 'IR',
  rpm: 'RPM',
  pd: 'photodiode',
  ema: 'smoothing',
  ac: 'AC',
  hz: 'frequency',
  led: 'LED',
  leds: 'LEDs',
  kp: 'Kp',
  ki: 'Ki',
  kd: 'Kd',
  tls: 'TLS',
  wal: 'WAL',
  ekf: 'filter',
  std: 'standard deviations',
  alt: 'alternative',
  efflux: 'waste',
};

/** Ends of keys that only repeat the unit of the value. */
const unitEnding = /_(?:ml_per_hour|ml|mb|s|c|seconds|minutes|hours|days)$/;

/** `initial_target_rpm`, in RPM → `Initial target RPM`; a number without a unit in its name gets the unit in brackets. */
export function settingLabel(section: string, key: string, unit: string | undefined): string {
  if (section === 'PWM') return `Output ${key}`;
  if (section === 'leds') return `LED ${key}`;
  if (section === 'od_config.photodiode_channel') return `Photodiode ${key}`;
  const isRepeated = unit !== undefined && unitEnding.test(key);
  const words = (isRepeated ? key.replace(unitEnding, '') : key).split('_');
  const text = words.map((word) => spellings[word.toLowerCase()] ?? word).join(' ');
  const isNamed = unit === undefined || text.split(' ').some((word) => word === unit);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${isNamed ? '' : ` (${unit})`}`;
}

/** The description of a setting with the labels of the settings that it names: `enable_dodging_od` → “Enable dodging OD”. */
export const readableDescription = (section: string, description: string): string =>
  description.replaceAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (key) => `“${settingLabel(section, key, undefined)}”`);

/** Words with which people look for settings that have another name, by key. */
const otherWords: Readonly<Record<string, string>> = {
  samples_per_second: 'interval period seconds between readings how often rate frequency',
  initial_target_rpm: 'stirring speed RPM',
  pause_between_subdoses_seconds: 'interval wait delay between doses',
  waste_removal_multiplier: 'efflux outflow extra waste',
  efflux_tube_volume_ml: 'waste tube height level working volume',
  max_subdose: 'largest dose size',
};

interface NamedSetting {
  readonly key: string;
  readonly declaration: Pick<SettingDeclaration, 'unit' | 'description'>;
}

/**
 * The settings of a section that have all these words in their names, their meanings, or what people call them. The name of the section
 * counts where no setting has the words itself, or where it begins with them: "bottle" finds the bottles of “Vial and bottles”.
 */
export function foundFields<Field extends NamedSetting>(
  section: string,
  fields: readonly Field[],
  words: readonly string[],
): readonly Field[] {
  const title = sectionTitle(section).toLowerCase();
  const found = (ofSection: string): readonly Field[] =>
    fields.filter(({ key, declaration: { unit, description } }) => {
      const names = `${ofSection} ${settingLabel(section, key, unit)} ${key}`;
      const text = `${names} ${description} ${otherWords[key] ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const own = title.startsWith(words.join(' ')) ? [] : found('');
  return own.length > 0 ? own : found(`${title} ${section}`);
}
