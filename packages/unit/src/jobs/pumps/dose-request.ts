import { ApiError, type Model } from '@lcs/contract';
import { type DoseAmount, doseLimit } from '@lcs/domain';
import type { JobContext, JobRequest } from '@lcs/node';
import type { UnitDevices } from '../unit-devices.ts';
import type { PumpName } from './pumping.ts';

/**
 * An override of this section would change where the job looks up its pump, but not the wiring that the guard has.
 * @throws ApiError `job_options_invalid`
 */
export function refusePwmOverrides({ definition, overrides }: JobRequest): void {
  if (!overrides.some(([section]) => section === 'PWM')) return;
  const cause = 'config_overrides cannot change [PWM]: the configuration determines the outputs of pumps.';
  throw new ApiError('job_options_invalid', { job: definition.name, cause });
}

/** @throws ApiError `job_options_invalid` unless exactly one amount is given */
export function amountOf(job: string, { ml, duration, continuously }: JobContext['options']): DoseAmount {
  const given = [ml, duration, continuously === true ? true : undefined].filter((value) => value !== undefined);
  if (given.length !== 1) {
    throw new ApiError('job_options_invalid', {
      job,
      cause: 'Exactly one of ml, duration and continuously is needed.',
    });
  }
  if (typeof ml === 'number') return { volumeMl: ml };
  return typeof duration === 'number' ? { durationS: duration } : 'continuously';
}

/** @throws ApiError `model_unknown` */
export function modelOf({ model }: JobRequest, devices: Pick<UnitDevices, 'modelOf' | 'ownModel'>): Model | undefined {
  if (model === undefined) return devices.ownModel();
  const known = devices.modelOf(model.name, model.version);
  if (known === undefined)
    throw new ApiError('model_unknown', { cause: `The model ${model.name}, version ${model.version}, is unknown.` });
  return known;
}

/**
 * Looks at a dose before it is accepted; the pumps look again before they run.
 * @throws ApiError `job_options_invalid`, `model_unknown`, `dose_overflows`
 */
export function validateDose(
  request: JobRequest,
  pump: PumpName,
  devices: Pick<UnitDevices, 'pumps' | 'modelOf' | 'ownModel'>,
): void {
  const amount = amountOf(request.definition.name, request.options);
  if (pump === 'waste') return;
  const model = modelOf(request, devices);
  const { experiment } = request;
  if (model === undefined || experiment === undefined || amount === 'continuously' || !('volumeMl' in amount)) return;
  const { volumeMl } = amount;
  const currentMl = devices.pumps.volumeMl(experiment);
  const stopLimitMl = model.reactor_max_fill_volume_ml;
  if (doseLimit(pump, volumeMl, { volumeMl: currentMl, stopLimitMl, bottleLeftMl: undefined }) !== undefined)
    throw new ApiError('dose_overflows', { volumeMl, currentMl, limitMl: stopLimitMl });
}
