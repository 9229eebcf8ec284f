import { builtInModels } from '@lcs/domain';
import { expect, it } from 'vitest';
import { HeatGuard } from './heat-guard.ts';
import { heatLimitsOf } from './heat-limits.ts';

it.each(builtInModels.map((model) => [model.display_name, model] as const))(
  'heating %s is cut, disabled and shut down where the model says',
  (_name, model) => {
    const limits = heatLimitsOf(model);
    const steps = [
      model.max_temp_to_reduce_heating - 0.0625,
      model.max_temp_to_reduce_heating,
      model.max_temp_to_disable_heating,
      model.max_temp_to_shutdown,
    ].map((celsius) => new HeatGuard().read(celsius, 50, limits, 0));
    expect(steps).toEqual([undefined, 'reduce', 'disable', 'shutdown']);
  },
);
