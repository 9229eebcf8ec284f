import type { SettingDeclaration } from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';

/** The sections of the form in its order, with their titles: first what belongs to a culture, then the hardware, then the leader. */
const titles: ReadonlyMap<string, string> = new Map([
  ['bioreactor', configWords.vialAndBottles],
  ['stirring.config', commonWords.stirring],
  ['stirring.pid', configWords.stirringController],
  ['od_reading.config', commonWords.odReading],
  ['growth_rate_calculating.config', commonWords.growthRate],
  ['dosing_automation.config', configWords.dosing],
  ['dosing_automation.turbidostat', configWords.dosingTurbidostat],
  ['dosing_automation.pid_morbidostat', configWords.dosingMorbidostatPid],
  ['temperature_automation.thermostat', configWords.temperatureThermostat],
  ['camera', configWords.camera],
  ['PWM', configWords.powerOutputs],
  ['leds', 'LEDs'],
  ['od_config.photodiode_channel', configWords.photodiodes],
  ['monitor.config', configWords.unitMonitor],
  ['resume', configWords.restartAfterPowerFailure],
  ['outbox', configWords.storageOnUnits],
  ['ui.overview.settings', commonWords.charts],
  ['ui.overview.charts', configWords.shownCharts],
  ['backup', commonWords.backups],
  ['export', configWords.exports],
  ['plugins', commonWords.plugins],
  ['mcp', configWords.aiAssistants],
  ['cluster.topology', commonWords.leader],
  ['cluster.addresses', configWords.addressesOfUnits],
  ['mqtt', configWords.broker],
  ['ui', configWords.webUi],
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
const spellings: Readonly<Record<string, string>> = configWords.spellings;

/** Ends of keys that only repeat the unit of the value. */
const unitEnding = /_(?:ml_per_hour|ml|mb|s|c|seconds|minutes|hours|days)$/;

/** `initial_target_rpm`, in RPM → `Initial target RPM`; a number without a unit in its name gets the unit in brackets. */
export function settingLabel(section: string, key: string, unit: string | undefined): string {
  if (section === 'PWM') return configWords.outputNamed(key);
  if (section === 'leds') return configWords.ledNamed(key);
  if (section === 'od_config.photodiode_channel') return configWords.photodiodeNamed(key);
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
const otherWords: Readonly<Record<string, string>> = configWords.otherWords;

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
