import type { BiomassScale } from '@lcs/contract';
import {
  biomassScale,
  biomassScaleSetting,
  biomassSignalOf,
  biomassSignalSetting,
  canonicalBiomassSignal,
  type DosingAutomation,
  readSetting,
} from '@lcs/domain';
import { type JobContext, SettingRefused } from '@lcs/node';
import type { CalibrationOf, FusionOf } from '../shared/calibration.ts';
import { configuredPhotodiodes } from '../shared/job-config.ts';
import type { SignalSource } from './fresh-readings.ts';

export interface BiomassSignal {
  /** The published name: never `auto`. */
  readonly name: string;
  /** Undefined: a setting of another job, whose scale is unknown here. */
  readonly scale: BiomassScale | undefined;
  readonly place: SignalSource;
  readonly warning?: string;
}

/** What decides about the signals of a unit. */
export interface BiomassDevices {
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
}

interface Facts extends BiomassDevices {
  readonly config: JobContext['config'];
}

const settingPattern = /^([a-z][a-z0-9_]{0,63})\/([A-Za-z][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_]+)*)$/;

/** The photodiodes that measure the culture, lowest first. */
function signalChannels(config: JobContext['config']): readonly { readonly channel: string; readonly angle: string }[] {
  return configuredPhotodiodes(config)
    .filter(({ angle }) => angle !== 'REF')
    .sort((one, other) => Number(one.channel) - Number(other.channel));
}

function odSignal({ config, calibrationOf }: Facts): BiomassSignal {
  const [lowest, ...others] = signalChannels(config);
  if (lowest === undefined) throw new SettingRefused('biomass_signal', 'No photodiode measures the optical density.');
  const { channel, angle } = lowest;
  const signal: BiomassSignal = {
    name: 'od',
    scale: biomassScale('od', calibrationOf(`od${angle}`) !== undefined),
    place: { from: 'reading', source: 'od', channel },
  };
  if (others.length === 0) return signal;
  return {
    ...signal,
    warning: `Several photodiodes measure the culture: the biomass is that of channel ${channel}.`,
  };
}

function automatic({ config, calibrationOf, fusionOf }: Facts): 'od_fused' | 'od' | 'normalized_od' {
  if (fusionOf() !== undefined) return 'od_fused';
  const [lowest] = signalChannels(config);
  return lowest !== undefined && calibrationOf(`od${lowest.angle}`) !== undefined ? 'od' : 'normalized_od';
}

function ofSetting(name: string): BiomassSignal {
  const [, job, setting, keys = ''] = settingPattern.exec(name) ?? [];
  if (job === undefined || setting === undefined) {
    const accepted = 'auto, normalized_od, od_fused, od, or a setting of another job as <job>/<setting>';
    throw new SettingRefused('biomass_signal', `It must be one of ${accepted}, not '${name}'.`);
  }
  if (job === 'dosing_automation')
    throw new SettingRefused('biomass_signal', 'It must be a setting of another job: this one does not measure.');
  return { name, scale: undefined, place: { from: 'setting', job, setting, keys: keys.split('.').filter(Boolean) } };
}

/** The place of the signal that `biomass_signal` names on this unit now. @throws SettingRefused for an unknown name */
export function biomassSignal(requested: string, facts: Facts): BiomassSignal {
  const given = canonicalBiomassSignal(requested);
  const name = given === 'auto' ? automatic(facts) : given;
  if (name === 'od') return odSignal(facts);
  if (name === 'od_fused') return { name, scale: name, place: { from: 'reading', source: 'od_fused' } };
  if (name === 'normalized_od') return { name, scale: name, place: { from: 'reading', source: 'od_filtered' } };
  return ofSetting(name);
}

/** The signal in the options of a start, otherwise that of the configuration; may be `auto`. */
export function requestedSignal(
  automation: DosingAutomation,
  { config, options }: Pick<JobContext, 'config' | 'options'>,
): string {
  return String(options[biomassSignalSetting] ?? readSetting(config, biomassSignalOf(automation)));
}

/** Publishes the signal of a running automation with its scale, which is that of its target. */
export function publishBiomass(context: Pick<JobContext, 'publish'>, { name, scale }: BiomassSignal): void {
  context.publish(biomassSignalSetting, name);
  context.publish(biomassScaleSetting, scale ?? null);
}
