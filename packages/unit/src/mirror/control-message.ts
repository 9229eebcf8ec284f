import type { PidRecord } from '@lcs/domain';
import type { JobOrigin } from '@lcs/node';

/** The names of controlled variables. */
export type ControlTarget = 'rpm' | 'temperature' | 'growth_rate';

/** Publishes one step of a controller, for tuning; it is not recorded. */
export type ShowControl = (job: JobOrigin, target: ControlTarget, step: PidRecord) => void;

/** A step of a controller in the format of MQTT clients. */
export const controlMessage = (jobName: string, target: ControlTarget, step: PidRecord): string => {
  const { setpoint, input, output, parameters, terms } = step;
  return JSON.stringify({
    setpoint,
    output_limits_lb: parameters.lowest,
    output_limits_ub: parameters.highest,
    Kp: parameters.proportional,
    Ki: parameters.integral,
    Kd: parameters.derivative,
    ...terms,
    latest_input: input,
    latest_output: output,
    job_name: jobName,
    target_name: target,
  });
};
