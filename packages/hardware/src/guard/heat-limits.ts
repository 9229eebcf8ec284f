import type { Model } from '@lcs/contract';
import type { HeatLimits } from './guard-types.ts';

/** The temperature limits of a reactor's model, as the guard wants them. */
export const heatLimitsOf = (model: Model): HeatLimits => ({
  reduceCelsius: model.max_temp_to_reduce_heating,
  disableCelsius: model.max_temp_to_disable_heating,
  shutdownCelsius: model.max_temp_to_shutdown,
});
