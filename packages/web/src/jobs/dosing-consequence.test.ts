import type { BiomassSignals } from '@lcs/contract';
import { expect, it } from 'vitest';
import { dosingConsequences, dosingTotal } from './dosing-consequence.ts';

const unit = (more: Partial<BiomassSignals['culture']> = {}, od: number | null = 0.26) => ({
  unit: 'rx01',
  signals: {
    configured: 'od',
    automatic: 'od',
    signals: [{ signal: 'od', scale: 'od', value: od, measured_at: null }],
    culture: { growth_rate: 0.11, volume_ml: 14.4, media_bottle_left_ml: 190, ...more },
  } satisfies BiomassSignals,
});
const target = { biomass_signal: 'od', target_biomass: 0.4, exchange_volume_ml: 1 };
const numbersIn = (texts: readonly string[]) => texts.map((text) => text.match(/\d+(\.\d+)?/g)?.slice(1));

it('a turbidostat names the way to its target, the medium of a day and the bottle', () => {
  expect(numbersIn(dosingConsequences('turbidostat', target, [unit()]))).toEqual([
    // ln(0.4 / 0.26) / 0.11 per hour is 3.92 h; each exchange washes out ln(15.4 / 14.4).
    ['0.26', '0.4', '3', '50', '39', '5'],
  ]);
  // Nothing is known of growth: no numbers are made up.
  expect(numbersIn(dosingConsequences('turbidostat', target, [unit({ growth_rate: null })]))).toEqual([
    ['0.26', '0.4'],
  ]);
  expect(dosingConsequences('turbidostat', { ...target, biomass_signal: '' }, [unit()])).toEqual([]);
});

it('says what is not known: neither a missing reading nor a resting culture is an unknown growth rate', () => {
  const [unknown = ''] = dosingConsequences('turbidostat', target, [unit({ growth_rate: null })]);
  const [noReading = ''] = dosingConsequences('turbidostat', target, [unit({}, null)]);
  const [negative = ''] = dosingConsequences('turbidostat', target, [unit({}, -0.002)]);
  const [resting = ''] = dosingConsequences('turbidostat', target, [unit({ growth_rate: -0.02 })]);
  expect(unknown).toContain('growth rate');
  for (const text of [noReading, negative, resting]) expect(text).not.toContain('growth rate');
  expect(new Set([unknown, noReading, negative, resting]).size).toBe(4);
});

it('above its target it names the medium until the target is reached', () => {
  // 14.4 mL · ln(0.26 / 0.13)
  expect(numbersIn(dosingConsequences('turbidostat', { ...target, target_biomass: 0.13 }, [unit()]))).toEqual([
    ['0.26', '0.13', '10', '39', '5'],
  ]);
});

it('several turbidostats above their target need so much medium in total', () => {
  const at = (od: number | null, automation = 'turbidostat') => ({
    automation,
    values: { ...target, target_biomass: 0.13 },
    reported: [unit({}, od)],
  });
  // 14.4 mL · ln(0.26 / 0.13) on each of two units.
  expect(dosingTotal([at(0.26), at(0.26), at(0.1), at(null), at(0.26, 'chemostat')])[0]?.match(/\d+/g)).toEqual([
    '20',
    '2',
  ]);
  expect(dosingTotal([at(0.26), at(0.1)])).toEqual([]);
});

it('an empty bottle does not last for any time', () => {
  const full = { biomass_signal: 'od', target_biomass: 0.2 };
  const empty = unit({ media_bottle_left_ml: 0 });
  for (const text of [
    ...dosingConsequences('turbidostat', full, [empty]),
    ...dosingConsequences('turbidostat', target, [empty]),
    ...dosingConsequences('chemostat', { duration: 10, exchange_volume_ml: 1 }, [empty]),
  ])
    expect(text).not.toContain('lasts');
});

it('a chemostat that dilutes faster than the culture grows is recognised', () => {
  const [faster = '', slower = ''] = [10, 100].flatMap((duration) =>
    dosingConsequences('chemostat', { duration, exchange_volume_ml: 1 }, [unit()]),
  );
  expect(faster.length).toBeGreaterThan(slower.length);
  // 14.4 exchanges of 1.05 mL a day: 15 · (e^(1/15) - 1) mL and what evaporates in 100 min.
  expect(numbersIn([slower])).toEqual([['15', '13', '0.042', '0.11', '1.05', '1']]);
});

it('to a target far above the present value there is no forecast; without an exchange volume neither', () => {
  const numbers = (values: object) => numbersIn(dosingConsequences('turbidostat', { ...target, ...values }, [unit()]));
  expect(numbers({ target_biomass: 2.5 })[0]).toEqual(['0.26', '2.5', '21', '39', '6']);
  for (const target_biomass of [27, 50, 1e9]) expect(numbers({ target_biomass })[0]).toHaveLength(2);
  for (const automation of ['turbidostat', 'chemostat'])
    expect(dosingConsequences(automation, { ...target, duration: 10, exchange_volume_ml: 0 }, [unit()])).toEqual([]);
});

it('a morbidostat names from where it exchanges, when that is, and both media of a day', () => {
  const values = { duration: 60, target_normalized_od: 1.5, target_growth_rate: 0.1 };
  const at = (value: number | null, growth_rate: number | null = 0.11) => {
    const { signals } = unit({ growth_rate });
    const normalised = { signal: 'normalized_od', scale: 'normalized_od', value, measured_at: null } as const;
    return [{ unit: 'rx01', signals: { ...signals, signals: [normalised] } }];
  };
  const numbers = (...given: Parameters<typeof at>) =>
    numbersIn(dosingConsequences('pid_morbidostat', values, at(...given)));
  // From 0.7 × 1.5 on: ln(1.05 / 0.5) / 0.11 per hour; 14.4 mL · 0.1 per hour.
  expect(numbers(0.5)).toEqual([['0.5', '1.05', '7', '35', '0.1', '2.5']]);
  expect(numbers(1.2)).toEqual([['1.2', '1.05', '35', '0.1', '2.5']]);
  expect(numbers(0.5, null)).toEqual([['0.5', '1.05', '35', '0.1', '2.5']]);
  expect(numbers(null)).toEqual([['1.05', '35', '0.1', '2.5']]);
});

it('other automations, and forms that are not filled in, have none', () => {
  expect(dosingConsequences('silent', {}, [unit()])).toEqual([]);
  expect(dosingConsequences(null, {}, [unit()])).toEqual([]);
  expect(dosingConsequences('fed_batch', { duration: 720, dosing_volume_ml: 1 }, [unit()])).toHaveLength(1);
});

it('a fed-batch says when the vial is full, and when it takes not even the first addition', () => {
  const of = (dosing_volume_ml: number) =>
    numbersIn(
      dosingConsequences('fed_batch', { duration: 60, dosing_volume_ml }, [
        unit({ volume_ml: 15.5, fill_limit_ml: 18 }),
      ]),
    );
  // 15.5 + 5 × 0.5 mL would reach the limit.
  expect(of(0.5)).toEqual([['12', '15.5', '18', '4', '4']]);
  expect(of(2.5)).toEqual([['60', '15.5', '18']]);
});
