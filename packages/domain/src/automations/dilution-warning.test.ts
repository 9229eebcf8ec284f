import { describe, expect, it } from 'vitest';
import { dosingAutomations } from './automations.ts';
import { dilutionWarning } from './dilution-warning.ts';

const at = (value: number | undefined, target: number, dilutesFrom = target, volumeMl?: number) =>
  dilutionWarning({ signal: 'normalized_od', scale: 'normalized_od', value }, { target, dilutesFrom, volumeMl });

describe('the warning before pumps maintain a density', () => {
  it('reports that the pumps dilute a culture at or above the target at once', () => {
    expect(at(1.005, 0.2)).toMatchObject({
      code: 'dilutes_at_once',
      biomass_signal: 'normalized_od',
      value: 1.005,
      target: 0.2,
    });
    expect(at(0.5, 0.5)).toMatchObject({ code: 'dilutes_at_once' });
    expect(at(0.4999, 0.5)).toBeUndefined();
  });

  it('names the medium that the way to the target takes, where the culture is diluted to it', () => {
    // 15 mL · ln 2
    expect(at(0.8, 0.4, 0.4, 15)?.message).toMatch(/about 10 mL .* until the target is reached/);
    for (const other of [at(0.8, 0.4), at(0.4, 0.4, 0.4, 15), at(0.8, 1, 0.7, 15)])
      expect(other?.message).not.toMatch(/until the target/);
  });

  it('warns when the density is unknown', () => {
    expect(at(undefined, 0.5)).toMatchObject({ code: 'density_unknown', value: null, target: 0.5 });
  });

  it('warns from the dilution threshold, which may be below the target', () => {
    expect(at(1.1, 1.5, 1.05)).toMatchObject({ code: 'dilutes_at_once', value: 1.1, target: 1.5 });
    expect(at(1, 1.5, 1.05)).toBeUndefined();
  });

  it('exists for each automation that reads a density', () => {
    const reads = dosingAutomations.filter(({ reads }) => reads.some((signal) => signal !== 'growth_rate'));
    expect(reads.map(({ name }) => name)).toEqual(['turbidostat', 'pid_morbidostat']);
    for (const { name, density, parameters, reads: signals } of reads) {
      expect(parameters, name).toHaveProperty(density?.setting ?? 'none');
      expect(signals, name).toContain(density?.signal);
    }
  });
});
