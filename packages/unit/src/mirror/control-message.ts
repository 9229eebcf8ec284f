import type { PidRecord } from '@lcs/domain';
import type { JobOrigin } from '@lcs/node';

/** What controllers hold. */
export type ControlTarget = 'rpm' | 'temperature' | 'growth_rate';

/** Shows one step of a controller to whoever chooses its gains; it is not recorded. */
export type ShowControl = (job: JobOrigin, target: ControlTarget, step: PidRecord) => void;

/** A step of a controller in the words of outside clients. */
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
