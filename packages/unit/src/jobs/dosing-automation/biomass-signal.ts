import { type JobContext, SettingRefused } from '@lcs/platform';
import type { CalibrationOf, FusionOf } from '../shared/calibration.ts';
import type { SignalPlace } from './signal-place.ts';

export interface BiomassSignal {
  /** As it is published: never `auto`. */
  readonly word: string;
  readonly place: SignalPlace;
  readonly warning?: string;
}

interface Facts {
  readonly config: JobContext['config'];
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
}

/** Older files say it so. */
const olderWords: ReadonlyMap<string, string> = new Map([['fused_od', 'od_fused']]);

const settingPattern = /^([a-z][a-z0-9_]{0,63})\/([A-Za-z][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_]+)*)$/;

/** The photodiodes that measure the culture, lowest first. */
function signalChannels(config: JobContext['config']): readonly { readonly channel: string; readonly angle: string }[] {
  const section = config['od_config.photodiode_channel'] ?? { 1: 'REF', 2: '90' };
  return Object.entries(section)
    .map(([channel, angle]) => ({ channel, angle: angle.trim() }))
    .filter(({ angle }) => angle !== '' && angle !== 'REF')
    .sort((one, other) => Number(one.channel) - Number(other.channel));
}

function odSignal(config: JobContext['config']): BiomassSignal {
  const [lowest, ...others] = signalChannels(config);
  if (lowest === undefined) throw new SettingRefused('biomass_signal', 'No photodiode measures the optical density.');
  const { channel } = lowest;
  const place: SignalPlace = { from: 'reading', source: 'od', channel };
  if (others.length === 0) return { word: 'od', place };
  return {
    word: 'od',
    place,
    warning: `Several photodiodes measure the culture: the biomass is that of channel ${channel}.`,
  };
}

function automatic({ config, calibrationOf, fusionOf }: Facts): 'od_fused' | 'od' | 'normalized_od' {
  if (fusionOf() !== undefined) return 'od_fused';
  const [lowest] = signalChannels(config);
  return lowest !== undefined && calibrationOf(`od${lowest.angle}`) !== undefined ? 'od' : 'normalized_od';
}

function ofSetting(word: string): BiomassSignal {
  const [, job, setting, keys = ''] = settingPattern.exec(word) ?? [];
  if (job === undefined || setting === undefined) {
    const words = 'auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>';
    throw new SettingRefused('biomass_signal', `It must be one of ${words}, not '${word}'.`);
  }
  if (job === 'dosing_automation')
    throw new SettingRefused('biomass_signal', 'It must be a setting of another job: this one does not measure.');
  return { word, place: { from: 'setting', job, setting, keys: keys.split('.').filter(Boolean) } };
}

/** What is meant by the setting `biomass_signal` on this unit now. @throws SettingRefused for a word that means nothing */
export function biomassSignal(wanted: string, facts: Facts): BiomassSignal {
  const given = wanted.trim();
  const word = given === 'auto' ? automatic(facts) : (olderWords.get(given) ?? given);
  if (word === 'od') return odSignal(facts.config);
  if (word === 'od_fused') return { word, place: { from: 'reading', source: 'od_fused' } };
  if (word === 'normalized_od') return { word, place: { from: 'reading', source: 'od_filtered' } };
  return ofSetting(word);
}
