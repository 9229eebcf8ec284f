import { describe, expect, it } from 'vitest';
import { builtInModels } from './built-in-models.ts';
import { normaliseModelName } from './model-name.ts';

describe('built-in models', () => {
  it('are listed in the order of the screen, each pair of name and version once', () => {
    expect(builtInModels.map(({ model_name, model_version }) => `${model_name} ${model_version}`)).toEqual([
      'reactor_40ml 1.5',
      'reactor_40ml 1.0',
      'reactor_20ml 1.1',
      'reactor_20ml 1.0',
      'reactor_20ml 1.5',
      'reactor_40ml_XR 1.5',
      'reactor_20ml_XR 1.5',
    ]);
  });

  it('have their volumes and heat limits', () => {
    expect(builtInModels[0]).toEqual({
      model_name: 'reactor_40ml',
      model_version: '1.5',
      display_name: 'Reactor 40 mL, v1.5',
      reactor_capacity_ml: 40,
      reactor_diameter_mm: 27,
      reactor_max_fill_volume_ml: 36,
      max_temp_to_reduce_heating: 78,
      max_temp_to_disable_heating: 80,
      max_temp_to_shutdown: 85,
      is_legacy: false,
      is_contrib: false,
    });
    expect(builtInModels[3]).toMatchObject({
      reactor_capacity_ml: 20,
      reactor_max_fill_volume_ml: 18,
      max_temp_to_reduce_heating: 63,
      max_temp_to_disable_heating: 65,
      max_temp_to_shutdown: 66,
      is_legacy: true,
    });
    expect(builtInModels.filter(({ is_legacy }) => is_legacy)).toHaveLength(3);
    expect(builtInModels[5]?.display_name).toBe('Reactor 40 mL XR, v1.5');
  });
});

describe('normaliseModelName', () => {
  it('understands the old prefix, and only as a prefix', () => {
    expect(normaliseModelName('pioreactor_20ml_XR')).toBe('reactor_20ml_XR');
    expect(normaliseModelName('reactor_20ml')).toBe('reactor_20ml');
    expect(normaliseModelName('my_pioreactor_20ml')).toBe('my_pioreactor_20ml');
  });
});
