import {
  ConfigValueError,
  odReadingSettings,
  photodiodeAngle,
  type ReferenceNormalization,
  readSetting,
} from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { configuredPhotodiodes, infraredChannel, photodiodeSection } from '../shared/job-config.ts';

export type OdAngle = '45' | '90' | '135' | '180' | 'REF';

export interface OdConfig {
  /** Output of the infrared LED. */
  readonly irOutput: string;
  /** Photodiode number, as text, and its angle. */
  readonly channels: readonly { readonly channel: string; readonly angle: OdAngle }[];
  /** null: only on request. */
  readonly intervalS: number | null;
  readonly intensity: number | 'auto';
  readonly referencePastWeight: number;
  readonly mainsHz: 50 | 60 | undefined;
  readonly smoothingPenalizer: number;
  readonly turnsOffOtherLeds: boolean;
  readonly settleMs: number;
  readonly usesDarkOffsets: boolean;
  readonly normalization: ReferenceNormalization;
}

function channelsOf(config: JobContext['config']): OdConfig['channels'] {
  const channels = configuredPhotodiodes(config).map(({ channel, angle }) => {
    const parsed = photodiodeAngle.parse(angle);
    if (!parsed.ok) throw new ConfigValueError(photodiodeSection, channel, angle, `${parsed.expected}, or empty`);
    return { channel, angle: parsed.value };
  });
  if (channels.filter(({ angle }) => angle === 'REF').length > 1)
    throw new ConfigValueError(photodiodeSection, '1…4', 'REF', 'REF for one photodiode at most');
  if (channels.every(({ angle }) => angle === 'REF'))
    throw new ConfigValueError(photodiodeSection, '1…4', '', 'an angle for at least one photodiode');
  return channels;
}

/** The output that the infrared LED is. @throws ConfigValueError */
export function irOutputOf(config: JobContext['config']): string {
  const channel = infraredChannel(config);
  if (channel === undefined || !/^[A-D]$/.test(channel))
    throw new ConfigValueError('leds', 'A…D', '…', 'such that one of them is IR');
  return `led${channel}`;
}

/** @throws ConfigValueError */
export function odConfig({ config, options }: Pick<JobContext, 'config' | 'options'>): OdConfig {
  const hertz = readSetting(config, odReadingSettings.mainsFrequency);
  const { interval, snapshot, ir_led_intensity: intensity } = options;
  const defaultInterval = 1 / readSetting(config, odReadingSettings.samplesPerSecond);
  return {
    irOutput: irOutputOf(config),
    channels: channelsOf(config),
    intervalS: snapshot === true ? null : typeof interval === 'number' ? interval : defaultInterval,
    intensity: typeof intensity === 'number' ? intensity : readSetting(config, odReadingSettings.irLedIntensity),
    referencePastWeight: readSetting(config, odReadingSettings.referenceSmoothing),
    mainsHz: hertz === undefined ? undefined : Number(hertz) === 50 ? 50 : 60,
    smoothingPenalizer: readSetting(config, odReadingSettings.smoothingPenalizer),
    turnsOffOtherLeds: readSetting(config, odReadingSettings.turnsOffOtherLeds),
    settleMs: 1000 * readSetting(config, odReadingSettings.settleTime),
    usesDarkOffsets: readSetting(config, odReadingSettings.usesDarkOffsets),
    normalization: readSetting(config, odReadingSettings.normalization),
  };
}
