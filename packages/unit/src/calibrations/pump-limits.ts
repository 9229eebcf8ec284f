import type { CalibrationContent, Model } from '@lcs/contract';
import { type PumpDevice, pumpDevices, volumeIn } from '@lcs/domain';
import {
  type GuardLimits,
  heatLimitsOf,
  type PumpLimits,
  type PwmChannel,
  pwmChannels,
  type Wiring,
} from '@lcs/hardware';
import type { IniView } from '@lcs/platform';
import { labelled } from '../jobs/shared/job-config.ts';

/** Label of each pump's output in the configuration. */
export const pumpLabels: Readonly<Record<PumpDevice, 'media' | 'alt_media' | 'waste'>> = {
  media_pump: 'media',
  alt_media_pump: 'alt_media',
  waste_pump: 'waste',
};

/** ml/s: clearly more than a usual pump moves, for limits must not be too low. Chosen: 0.0911, spread and the waste pump. */
const defaultFlow = 0.15;
/** A calibrated pump may be this much faster than it was. Chosen. */
const calibratedMargin = 1.2;
/** Longest run, and of an hour. Chosen: a step of a session takes 300 s at most. */
const longestRunMs = 300_000;
const mostOfHourMs = 1_800_000;
/** An hour may move this many vials. Chosen: more than any culture grows against. */
const vialsPerHour = 10;

/** The flow that a pump is taken to have at 100 %, ml/s. */
function flowOf(active: CalibrationContent | undefined): number {
  if (active?.calibration_type !== 'simple_peristaltic_pump' || active.dc <= 0) return defaultFlow;
  const perSecond = volumeIn(active, 1) - volumeIn(active, 0);
  return Math.max(defaultFlow, (calibratedMargin * perSecond * 100) / active.dc);
}

const limitsFor = ({ reactor_capacity_ml: capacityMl }: Model, mlPerSecondAtFull: number): PumpLimits => ({
  maxRunMs: longestRunMs,
  maxRunMl: capacityMl,
  maxHourMs: mostOfHourMs,
  maxHourMl: vialsPerHour * capacityMl,
  mlPerSecondAtFull,
});

/** Seconds that a pump may run at 100 % at once. */
export const longestRunS = (model: Model, active: CalibrationContent | undefined): number =>
  Math.min(longestRunMs / 1000, model.reactor_capacity_ml / flowOf(active));

const isChannel = (channel: number): channel is PwmChannel => pwmChannels.some((known) => known === channel);

/** The guard's limits for heater and pumps of this reactor: no run moves more than the vial holds. */
export function guardLimits(
  model: Model,
  wiring: Wiring,
  config: IniView,
  active: (device: PumpDevice) => CalibrationContent | undefined,
): GuardLimits {
  const wired = pwmChannels.filter((channel) => wiring[channel]?.use === 'pump');
  const flows = new Map<PwmChannel, number>();
  for (const device of pumpDevices) {
    const channel = Number(labelled(config, 'PWM', pumpLabels[device]));
    if (isChannel(channel)) flows.set(channel, flowOf(active(device)));
  }
  return {
    heat: heatLimitsOf(model),
    pumps: Object.fromEntries(wired.map((channel) => [channel, limitsFor(model, flows.get(channel) ?? defaultFlow)])),
  };
}
