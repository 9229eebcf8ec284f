import { describe, expect, it } from 'vitest';
import { checkBioreactorValues, initialBioreactorValues } from './bioreactor-values.ts';

describe('values of a vial at the start', () => {
  it('are those of the configuration, where it says something usable', () => {
    const section = { initial_volume_ml: '16.5', efflux_tube_volume_ml: 'much', initial_alt_media_fraction: '2' };
    expect(initialBioreactorValues(section)).toEqual({
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
    expect(checkBioreactorValues({ current_volume_ml: ' 15.5 ', alt_media_fraction: true }, 40)).toEqual({
      ok: true,
      values: { current_volume_ml: 15.5, alt_media_fraction: 1 },
    });
  });

  it.each([
    [{}, 'No value was given.'],
    [{ volume: 1 }, "There is no value 'volume'."],
    [{ current_volume_ml: 41 }, 'from 0 to 40'],
    [{ current_volume_ml: 10, efflux_tube_volume_ml: -1 }, 'efflux_tube_volume_ml must be a number from 0 to 40'],
    [{ alt_media_fraction: 1.01 }, 'from 0 to 1'],
    [{ cumulative_media_added_ml: -0.1 }, 'of at least 0'],
    [{ current_volume_ml: 'full' }, "not 'full'"],
    [{ current_volume_ml: '' }, "not ''"],
    [{ current_volume_ml: Number.NaN }, "not 'NaN'"],
    [{ cumulative_media_added_ml: Number.POSITIVE_INFINITY }, "not 'Infinity'"],
  ])('%j is refused', (values, cause) => {
    expect(checkBioreactorValues(values, 40)).toEqual({ ok: false, cause: expect.stringContaining(cause) });
  });

  it('have no upper limit while the model is not known', () => {
    expect(checkBioreactorValues({ current_volume_ml: 400 }, undefined)).toMatchObject({ ok: true });
  });
});
