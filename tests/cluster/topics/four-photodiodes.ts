import { createHash } from 'node:crypto';

/** A file of a configuration as a leader sends it. */
export const configFile = (text: string, version: number) => ({
  version,
  sha256: createHash('sha256').update(text).digest('hex'),
  text,
});

/** A reactor whose board has four photodiodes. */
export const xrModel = {
  model_name: 'reactor_40ml_XR',
  model_version: '1.5',
  display_name: 'Reactor 40 mL XR, v1.5',
  reactor_capacity_ml: 40,
  reactor_diameter_mm: 27,
  reactor_max_fill_volume_ml: 36,
  max_temp_to_reduce_heating: 78,
  max_temp_to_disable_heating: 80,
  max_temp_to_shutdown: 85,
  is_legacy: false,
  is_contrib: false,
};
