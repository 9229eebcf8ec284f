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
    ].map((celsius) => {
      const guard = new HeatGuard();
      guard.requested(50, 0);
      return [0, 250, 500].map((nowMs) => guard.read(celsius, limits, nowMs));
    });
    expect(steps).toEqual([
      [undefined, undefined, undefined],
      ['reduce', 'reduce', 'reduce'],
      ['disable', undefined, undefined],
      [undefined, undefined, 'shutdown'],
    ]);
  },
);
