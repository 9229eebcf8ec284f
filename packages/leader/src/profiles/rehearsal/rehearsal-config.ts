import { odReadingSettings, settingOrDefault, stirringSettings } from '@lcs/domain';
import type { IniView } from '@lcs/platform';

/** The speed of a stirrer wanders by 2 % in ten minutes: it is not corrected more rarely than this, s. */
const longestUpdateS = 300;

/**
 * The configuration of rehearsed units: OD is read every `intervalS`, and the speed of the stirrer is corrected after every fifth
 * reading, or as configured if that is more rarely.
 */
export function rehearsalConfig(config: IniView, intervalS: number): IniView {
  const { samplesPerSecond } = odReadingSettings;
  const { updateInterval } = stirringSettings;
  const updateS = Math.max(settingOrDefault(config, updateInterval), Math.min(5 * intervalS, longestUpdateS));
  return {
    ...config,
    [samplesPerSecond.section]: { ...config[samplesPerSecond.section], [samplesPerSecond.key]: String(1 / intervalS) },
    [updateInterval.section]: { ...config[updateInterval.section], [updateInterval.key]: String(updateS) },
  };
}
