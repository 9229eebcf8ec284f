import type { ReferenceNormalization } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';
import { JobConfig, JobConfigError, labelled } from '../shared/job-config.ts';

const angles = ['45', '90', '135', '180'] as const;
export type OdAngle = (typeof angles)[number] | 'REF';

export interface OdConfig {
  /** Output of the infrared LED. */
  readonly irOutput: string;
  /** Photodiode number, as text, and what it looks at. */
  readonly channels: readonly { readonly channel: string; readonly angle: OdAngle }[];
  /** null: only when asked. */
  readonly intervalS: number | null;
  readonly intensity: number | 'auto';
  readonly referencePastWeight: number;
  readonly mainsHz: 50 | 60 | undefined;
  readonly penalizer: number;
  readonly turnsOffOtherLeds: boolean;
  readonly settleMs: number;
  readonly usesDarkOffsets: boolean;
  readonly normalization: ReferenceNormalization;
}

const channelSection = 'od_config.photodiode_channel';

function channelsOf(config: JobContext['config']): OdConfig['channels'] {
  const section = config[channelSection] ?? { 1: 'REF', 2: '90' };
  const channels = Object.entries(section).flatMap(([channel, value]) => {
    const text = value.trim();
    if (text === '') return [];
    const angle = [...angles, 'REF' as const].find((known) => known === text);
    if (angle === undefined)
      throw new JobConfigError(channelSection, channel, text, `one of ${angles.join(', ')}, REF, or empty`);
    return [{ channel, angle }];
  });
  if (channels.filter(({ angle }) => angle === 'REF').length > 1)
    throw new JobConfigError(channelSection, '1…4', 'REF', 'REF for one photodiode at most');
  if (channels.every(({ angle }) => angle === 'REF'))
    throw new JobConfigError(channelSection, '1…4', '', 'an angle for at least one photodiode');
  return channels;
}

/** The output that the infrared LED is. @throws JobConfigError */
export function irOutputOf(config: JobContext['config']): string {
  const channel = config.leds === undefined ? 'A' : labelled(config, 'leds', 'IR');
  if (channel === undefined || !/^[A-D]$/.test(channel))
    throw new JobConfigError('leds', 'A…D', '…', 'such that one of them is IR');
  return `led${channel}`;
}

function intensityOf(section: JobConfig, { options }: Pick<JobContext, 'options'>): number | 'auto' {
  if (typeof options.ir_led_intensity === 'number') return options.ir_led_intensity;
  if (section.text('ir_led_intensity') === 'auto') return 'auto';
  return section.number('ir_led_intensity', 80, { min: 0, max: 100 });
}

/** @throws JobConfigError */
export function odConfig(context: Pick<JobContext, 'config' | 'options'>): OdConfig {
  const section = new JobConfig(context.config, 'od_reading.config');
  const hertz = section.choice('local_ac_hz', ['50', '60', '50.0', '60.0'], '50');
  const { interval, snapshot } = context.options;
  const usualInterval = 1 / section.number('samples_per_second', 0.2, { min: 0.001, max: 10 });
  return {
    irOutput: irOutputOf(context.config),
    channels: channelsOf(context.config),
    intervalS: snapshot === true ? null : typeof interval === 'number' ? interval : usualInterval,
    intensity: intensityOf(section, context),
    referencePastWeight: section.number('pd_reference_ema', 0.75, { min: 0, max: 1 }),
    mainsHz: section.text('local_ac_hz') === undefined ? undefined : Number(hertz) === 50 ? 50 : 60,
    penalizer: section.number('smoothing_penalizer', 3, { min: 0 }),
    turnsOffOtherLeds: section.boolean('turn_off_leds_during_reading', true),
    settleMs: 1000 * section.number('duration_between_led_off_and_od_reading', 0.125, { min: 0, max: 5 }),
    usesDarkOffsets: section.boolean('use_dark_offsets', true),
    normalization: section.choice('ref_normalization', ['unity', 'classic'], 'unity'),
  };
}
