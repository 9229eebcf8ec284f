import { describe, expect, it } from 'vitest';
import { dosingAutomations } from './automations.ts';
import { dilutionWarning } from './dilution-warning.ts';

const at = (value: number | undefined, target: number, dilutesFrom = target) =>
  dilutionWarning({ signal: 'normalized_od', scale: 'normalized_od', value }, { target, dilutesFrom });

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
