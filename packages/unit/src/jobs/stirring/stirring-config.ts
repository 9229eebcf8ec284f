import { defaultSpeedGains, type SpeedGains } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';
import { JobConfig, pwmOutput } from '../shared/job-config.ts';

export interface StirringConfig {
  readonly output: string;
  readonly targetRpm: number;
  /** Said at the start, %. */
  readonly givenDuty: number | undefined;
  /** What is tried first without a calibration, %. */
  readonly initialDuty: number;
  /** `control`: the speed is measured and held; `watch`: measured only; `blind`: neither. */
  readonly mode: 'control' | 'watch' | 'blind';
  readonly updateMs: number;
  readonly gains: SpeedGains;
  readonly dodges: boolean;
  readonly preDelayMs: number;
  readonly postDelayMs: number;
  readonly duringRpm: number;
  readonly outsideRpm: number;
}

const rpm = { min: 0, max: 1500 } as const;
const delay = { min: 0.25, max: 10 } as const;

const optionNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** @throws JobConfigError */
export function stirringConfig({ config, options }: Pick<JobContext, 'config' | 'options'>): StirringConfig {
  const section = new JobConfig(config, 'stirring.config');
  const pid = new JobConfig(config, 'stirring.pid');
  const targetRpm = optionNumber(options.target_rpm) ?? section.number('initial_target_rpm', 500, rpm);
  const during = section.number('target_rpm_during_od_reading', 0, rpm);
  const outside = section.number('target_rpm_outside_od_reading', targetRpm, rpm);
  const usesRpm = options.use_rpm === undefined ? section.boolean('use_rpm', true) : options.use_rpm === true;
  const mode = options.measure_rpm_only === true ? 'watch' : usesRpm ? 'control' : 'blind';
  const saidDuty = optionNumber(options.duty_cycle);
  // One that held a speed and slept before a restart had a duty of 0: no speed is found from there.
  const givenDuty = mode === 'control' && saidDuty === 0 ? undefined : saidDuty;
  const dodges = options.enable_dodging_od ?? section.boolean('enable_dodging_od', false);
  return {
    output: pwmOutput(config, 'stirring'),
    targetRpm,
    givenDuty,
    initialDuty: givenDuty ?? section.number('initial_duty_cycle', 30, { min: 0, max: 100 }),
    mode,
    updateMs: 1000 * section.number('duration_between_updates_seconds', 23, { min: 1, max: 600 }),
    gains: {
      proportional: pid.number('Kp', defaultSpeedGains.proportional),
      integral: pid.number('Ki', defaultSpeedGains.integral),
      derivative: pid.number('Kd', defaultSpeedGains.derivative),
    },
    dodges: dodges === true,
    preDelayMs: 1000 * section.number('pre_delay_duration', 1.5, delay),
    postDelayMs: 1000 * section.number('post_delay_duration', 0.25, delay),
    duringRpm: optionNumber(options.target_rpm_during_od_reading) ?? during,
    outsideRpm: optionNumber(options.target_rpm_outside_od_reading) ?? outside,
  };
}
