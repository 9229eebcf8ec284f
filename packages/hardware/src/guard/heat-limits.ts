import type { Model } from '@lcs/contract';
import type { HeatLimits } from './guard-types.ts';

/** The temperature limits of a reactor's model, in the form of the guard. */
export const heatLimitsOf = (model: Model): HeatLimits => ({
  reduceCelsius: model.max_temp_to_reduce_heating,
  disableCelsius: model.max_temp_to_disable_heating,
  shutdownCelsius: model.max_temp_to_shutdown,
});
