import { pwmSettings } from './job-settings.ts';
import type { ConfigSections } from './read-setting.ts';

const pumpLabels = ['media', 'alt_media', 'waste'] as const;

/** Whether a power output (`pwm2`) drives a pump, by the labels of the configuration; without labels, those of a new leader count. */
export function isPumpOutput(config: ConfigSections, output: string): boolean {
  const channel = /^pwm(.+)$/.exec(output)?.[1];
  if (channel === undefined) return false;
  const labels = config.PWM ?? {};
  if (Object.values(labels).every((label) => label.trim() === ''))
    return pumpLabels.some((label) => pwmSettings[label].key === channel);
  return pumpLabels.some((label) => label === labels[channel]?.trim());
}
