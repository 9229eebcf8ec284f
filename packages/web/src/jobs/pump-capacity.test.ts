import type { BiomassSignals } from '@lcs/contract';
import { exchangeSeconds, fastestDilution } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { pumpWarnings } from './pump-capacity.ts';

type Culture = NonNullable<BiomassSignals['culture']>;
const exchange = {
  media_ml_per_s: 0.1,
  waste_ml_per_s: 0.12,
  pause_s: 5,
  waste_multiplier: 2,
  max_subdose_ml: 1,
};
const pace = { mediaMlPerS: 0.1, wasteMlPerS: 0.12, pauseS: 5, wasteMultiplier: 2, maxSubdoseMl: 1, settleS: 30 };
const unit = (more: Partial<Culture> = {}) => ({
  unit: 'rx01',
  signals: {
    configured: 'od',
    automatic: 'od',
    signals: [],
    culture: { growth_rate: 0.3, volume_ml: 14, media_bottle_left_ml: null, exchange, ...more },
  } satisfies BiomassSignals,
});

describe('the capacity of the pumps in the form of a start', () => {
  it('warns at the exchange volume of a turbidostat when the culture grows faster than exchanges one after the other dilute', () => {
    const fastest = fastestDilution(0.2, 14, pace);
    const at = (growth_rate: number) =>
      pumpWarnings('turbidostat', { exchange_volume_ml: 0.2 }, [unit({ growth_rate })]).exchange_volume_ml;
    expect(at(0.99 * fastest)).toEqual([]);
    expect(at(1.01 * fastest)).toEqual([expect.stringContaining(String(Number(fastest.toPrecision(2))))]);
    // A larger exchange keeps up.
    expect(pumpWarnings('turbidostat', { exchange_volume_ml: 2 }, [unit({ growth_rate: 1.01 * fastest })])).toEqual({
      exchange_volume_ml: [],
    });
  });

  it('knows that a turbidostat exchanges at most once per reading', () => {
    const every = (reading_every_s: number) => {
      const fastest = fastestDilution(0.5, 14, { ...pace, readingEveryS: reading_every_s });
      const at = (growth_rate: number) =>
        pumpWarnings('turbidostat', { exchange_volume_ml: 0.5 }, [unit({ growth_rate, reading_every_s })])
          .exchange_volume_ml;
      expect(at(0.99 * fastest)).toEqual([]);
      expect(at(1.01 * fastest)).toEqual([expect.stringContaining(String(Number(fastest.toPrecision(2))))]);
      return fastest;
    };
    expect(every(120)).toBeCloseTo((3600 * Math.log(14.5 / 14)) / 120, 9);
    expect(every(5)).toBeGreaterThan(1.9 * every(120));
  });

  it('warns at the interval of a chemostat that is shorter than an exchange', () => {
    const minutes = exchangeSeconds(1, pace) / 60;
    const at = (duration: number) =>
      pumpWarnings('chemostat', { exchange_volume_ml: 1, duration }, [unit(), unit()]).duration;
    expect(at(1.01 * minutes)).toEqual([]);
    expect(at(0.9 * minutes)).toHaveLength(2);
  });

  it('warns at an exchange that leaves little of the culture', () => {
    const at = (automation: string, exchange_volume_ml: number) =>
      pumpWarnings(automation, { exchange_volume_ml, duration: 600 }, [unit({ growth_rate: 0 })]).exchange_volume_ml;
    expect(at('turbidostat', 2)).toEqual([]);
    expect(at('chemostat', 2)).toEqual([]);
    // 60 mL through 14 mL in parts of 1 mL leave e^(−60 ln(15/14)).
    const left = 100 * Math.exp(-60 * Math.log(15 / 14));
    expect(at('turbidostat', 60)).toEqual([expect.stringContaining(`${Number(left.toPrecision(2))} %`)]);
    expect(at('chemostat', 60)).toHaveLength(1);
  });

  it('warns at the target of a morbidostat whose largest exchanges do not fit in its interval', () => {
    const at = (target_growth_rate: number) =>
      pumpWarnings('pid_morbidostat', { duration: 60, target_growth_rate }, [unit()]).target_growth_rate;
    expect(at(0.1)).toEqual([]);
    expect(at(5)).toHaveLength(1);
  });

  it('says nothing where it does not know the pumps, the volume, the growth rate or the values', () => {
    const slow = { exchange_volume_ml: 0.001 };
    const { exchange: _, ...older } = unit().signals.culture;
    const unknown = [{ unit: 'rx01', signals: { ...unit().signals, culture: older } }, unit({ volume_ml: null })];
    expect(pumpWarnings('turbidostat', slow, [...unknown, unit({ growth_rate: null })])).toEqual({
      exchange_volume_ml: [],
    });
    expect(pumpWarnings('turbidostat', { exchange_volume_ml: '' }, [unit()])).toEqual({});
    expect(pumpWarnings('sip', slow, [unit()])).toEqual({});
  });
});
