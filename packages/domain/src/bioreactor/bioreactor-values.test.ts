import { describe, expect, it } from 'vitest';
import { initialBioreactorValues, validateBioreactorValues } from './bioreactor-values.ts';

describe('initial values of a vial', () => {
  it('come from the configuration where it is valid', () => {
    const section = { initial_volume_ml: '16.5', efflux_tube_volume_ml: 'much', initial_alt_media_fraction: '2' };
    expect(initialBioreactorValues({ bioreactor: section })).toEqual({
      current_volume_ml: 16.5,
      efflux_tube_volume_ml: 14,
      alt_media_fraction: 0,
      cumulative_media_added_ml: 0,
      cumulative_alt_media_added_ml: 0,
      cumulative_waste_removed_ml: 0,
    });
  });
});

describe('new values of a vial', () => {
  it('may be written as text', () => {
    expect(validateBioreactorValues({ current_volume_ml: ' 15.5 ', alt_media_fraction: true }, 40)).toEqual({
      ok: true,
      values: { current_volume_ml: 15.5, alt_media_fraction: 1 },
    });
  });

  it.each([
    [{}, ''],
    [{ volume: 1 }, 'volume'],
    [{ current_volume_ml: 41 }, 'current_volume_ml'],
    [{ current_volume_ml: 10, efflux_tube_volume_ml: -1 }, 'efflux_tube_volume_ml'],
    [{ alt_media_fraction: 1.01 }, 'alt_media_fraction'],
    [{ cumulative_media_added_ml: -0.1 }, 'cumulative_media_added_ml'],
    [{ current_volume_ml: 'full' }, 'full'],
    [{ current_volume_ml: '' }, 'current_volume_ml'],
    [{ current_volume_ml: Number.NaN }, 'NaN'],
    [{ cumulative_media_added_ml: Number.POSITIVE_INFINITY }, 'Infinity'],
  ])('%j is refused', (values, named) => {
    expect(validateBioreactorValues(values, 40)).toEqual({ ok: false, cause: expect.stringContaining(named) });
  });

  it('have no upper limit while the model is unknown', () => {
    expect(validateBioreactorValues({ current_volume_ml: 400 }, undefined)).toMatchObject({ ok: true });
  });
});
