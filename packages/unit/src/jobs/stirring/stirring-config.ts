import { readSetting, type SpeedGains, stirringGains, stirringSettings } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { pwmOutput } from '../shared/job-config.ts';

export interface StirringConfig {
  readonly output: string;
  readonly targetRpm: number;
  /** Duty that the start names, %. */
  readonly givenDuty: number | undefined;
  /** First duty without a calibration, %. */
  readonly initialDuty: number;
  /** `control`: the speed is measured and controlled; `watch`: only measured; `blind`: neither. */
  readonly mode: 'control' | 'watch' | 'blind';
  readonly updateMs: number;
  readonly gains: SpeedGains;
  /** Whether the stirrer slows down for optical readings. */
  readonly isEnabled: boolean;
  readonly preDelayMs: number;
  readonly postDelayMs: number;
  readonly duringRpm: number;
  readonly outsideRpm: number;
}

const optionNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** @throws ConfigValueError */
export function stirringConfig({ config, options }: Pick<JobContext, 'config' | 'options'>): StirringConfig {
  const targetRpm = optionNumber(options.target_rpm) ?? readSetting(config, stirringSettings.initialTargetRpm);
  const during = readSetting(config, stirringSettings.rpmDuringOd);
  const outside = readSetting(config, stirringSettings.rpmOutsideOd) ?? targetRpm;
  const usesRpm =
    options.use_rpm === undefined ? readSetting(config, stirringSettings.usesRpm) : options.use_rpm === true;
  const mode = options.measure_rpm_only === true ? 'watch' : usesRpm ? 'control' : 'blind';
  const startDuty = optionNumber(options.duty_cycle);
  // A paused job had a duty of 0 before the restart: no search can begin there.
  const givenDuty = mode === 'control' && startDuty === 0 ? undefined : startDuty;
  const isEnabled = options.enable_dodging_od ?? readSetting(config, stirringSettings.isQuietDuringOd);
  return {
    output: pwmOutput(config, 'stirring'),
    targetRpm,
    givenDuty,
    initialDuty: givenDuty ?? readSetting(config, stirringSettings.initialDuty),
    mode,
    updateMs: 1000 * readSetting(config, stirringSettings.updateInterval),
    gains: {
      proportional: readSetting(config, stirringGains.proportional),
      integral: readSetting(config, stirringGains.integral),
      derivative: readSetting(config, stirringGains.derivative),
    },
    isEnabled: isEnabled === true,
    preDelayMs: 1000 * readSetting(config, stirringSettings.preDelay),
    postDelayMs: 1000 * readSetting(config, stirringSettings.postDelay),
    duringRpm: optionNumber(options.target_rpm_during_od_reading) ?? during,
    outsideRpm: optionNumber(options.target_rpm_outside_od_reading) ?? outside,
  };
}
