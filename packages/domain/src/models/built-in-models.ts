import type { Model } from '@lcs/contract';

type HeatLimits = Pick<Model, 'max_temp_to_reduce_heating' | 'max_temp_to_disable_heating' | 'max_temp_to_shutdown'>;

/** Degrees Celsius. */
const defaultLimits: HeatLimits = {
  max_temp_to_reduce_heating: 78,
  max_temp_to_disable_heating: 80,
  max_temp_to_shutdown: 85,
};

/** Version 1.0 of the 20 ml reactor tolerates less heat than the later versions. */
const earlyLimits: HeatLimits = {
  max_temp_to_reduce_heating: 63,
  max_temp_to_disable_heating: 65,
  max_temp_to_shutdown: 66,
};

/** Millilitres: a tenth of each vial stays free as headspace. */
const fillVolumeMl = { 20: 18, 40: 36 } as const;

interface Variant {
  readonly extended?: boolean;
  readonly legacy?: boolean;
  readonly limits?: HeatLimits;
}

const model = (capacityMl: 20 | 40, version: string, variant: Variant = {}): Model => ({
  model_name: `reactor_${capacityMl}ml${variant.extended ? '_XR' : ''}`,
  model_version: version,
  display_name: `Reactor ${capacityMl} mL${variant.extended ? ' XR' : ''}, v${version}`,
  reactor_capacity_ml: capacityMl,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: fillVolumeMl[capacityMl],
  ...(variant.limits ?? defaultLimits),
  is_legacy: variant.legacy ?? false,
  is_contrib: false,
});

/** The built-in models, in the order in which user interfaces list them. */
export const builtInModels: readonly Model[] = [
  model(40, '1.5'),
  model(40, '1.0', { legacy: true }),
  model(20, '1.1', { legacy: true }),
  model(20, '1.0', { legacy: true, limits: earlyLimits }),
  model(20, '1.5'),
  model(40, '1.5', { extended: true }),
  model(20, '1.5', { extended: true }),
];
