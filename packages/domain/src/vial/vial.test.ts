import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededStream } from '../random/seeded-stream.ts';
import { grown, growthRate, temperatureFactor } from './growth.ts';
import { photodiodeVolts } from './optics.ts';
import { defaultOrganism, findOrganism } from './organism.ts';
import { defaultThermal, heated } from './thermal.ts';
import { Vial } from './vial.ts';
import { defaultStart, defaultVialParameters, oneOfMany, type VialParameters } from './vial-parameters.ts';
import { idleInputs, type VialInputs } from './vial-state.ts';

const quietVial = (changes: Partial<VialParameters> = {}): VialParameters => ({
  ...defaultVialParameters(),
  noise: { name: 'quiet', readingDeviation: 0, slowShare: 0, slowTimeS: 60, shockChance: 0, shockDeviations: 0 },
  ...changes,
});

const vialOf = (parameters: VialParameters, seed = 1): Vial => new Vial(parameters, new SeededStream(seed));

const duty = fc.double({ min: 0, max: 100, noNaN: true });
const drives: fc.Arbitrary<[VialInputs, number]> = fc.tuple(
  fc.record({
    heaterDuty: duty,
    stirrerDuty: duty,
    pumps: fc.record({ media: duty, alt_media: duty, waste: duty }),
    leds: fc.record({ A: duty, B: duty, C: duty, D: duty }),
  }),
  fc.double({ min: 0.01, max: 60, noNaN: true }),
);

describe('a vial', () => {
  it('loses no liquid, has nothing negative, and keeps all numbers finite', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(drives, { minLength: 1, maxLength: 40 }), (seed, course) => {
        const vial = vialOf(defaultVialParameters(), seed);
        for (const [inputs, seconds] of course) {
          vial.drive(inputs);
          vial.advance(seconds);
        }
        const { volumeMl, ledger, culture, altMediaShare, reservoirsMl, stirrer } = vial.state;
        const came = defaultStart.volumeMl + ledger.media + ledger.altMedia;
        const balance = volumeMl + ledger.waste + ledger.evaporated + ledger.spilled;
        expect(balance).toBeCloseTo(came, 9);
        expect(reservoirsMl.media + ledger.media).toBeCloseTo(defaultStart.reservoirMl, 9);
        expect(reservoirsMl.waste).toBeCloseTo(ledger.waste, 9);
        expect(volumeMl).toBeLessThanOrEqual(20);
        const numbers = [volumeMl, culture.cells, culture.substrate, altMediaShare, stirrer.rpm, stirrer.turns];
        expect(numbers.every((number) => number >= 0 && Number.isFinite(number))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('runs the same course however the time is cut', () => {
    const inputs = { ...idleInputs, heaterDuty: 30, stirrerDuty: 40, leds: { A: 80, B: 0, C: 0, D: 0 } };
    const [whole, cut] = [vialOf(defaultVialParameters()), vialOf(defaultVialParameters())];
    for (const vial of [whole, cut]) vial.drive(inputs);
    whole.advance(3600);
    for (let part = 0; part < 1200; part += 1) cut.advance(3);
    expect(cut.od).toBeCloseTo(whole.od, 5);
    expect(cut.state.thermal.liquidC).toBeCloseTo(whole.state.thermal.liquidC, 4);
    expect(cut.state.stirrer.turns).toBeCloseTo(whole.state.stirrer.turns, 1);
    expect(cut.light('90').levelV).toBeCloseTo(whole.light('90').levelV, 6);
  });

  it('continues from a snapshot that went through JSON as if it had never stopped', () => {
    const vial = vialOf(defaultVialParameters());
    vial.advance(1234.5);
    vial.conversion('90');
    const copy = Vial.from(defaultVialParameters(), JSON.parse(JSON.stringify(vial.snapshot())));
    for (const either of [vial, copy]) either.advance(600);
    expect(copy.snapshot()).toEqual(vial.snapshot());
    expect(copy.conversion('90')).toBe(vial.conversion('90'));
  });

  it('differs from unit to unit by its seed, and only by it', () => {
    const unit = (seed: number) => oneOfMany(defaultVialParameters(), new SeededStream(seed));
    expect(unit(1)).toEqual(unit(1));
    expect(unit(1).sensitivity).not.toBe(unit(2).sensitivity);
  });
});

describe('growth in a vial', () => {
  it('is none outside the cardinal temperatures and full at the best one', () => {
    const factors = [3, 32, 42, 25].map((celsius) => temperatureFactor(defaultOrganism, celsius));
    expect(factors.slice(0, 3)).toEqual([0, expect.closeTo(1, 9), 0]);
    expect(factors[3]).toBeGreaterThan(0.4);
    expect(factors[3]).toBeLessThan(0.9);
  });

  it('lags, grows, and ends with its substrate', () => {
    const organism = findOrganism('ecoli_glucose') ?? defaultOrganism;
    let culture = { cells: 0.02 * organism.gramsPerOd, substrate: organism.feed, readiness: organism.readiness };
    const early = growthRate(organism, culture, 37);
    let [peak, densest] = [0, 0];
    for (let minute = 0; minute < 20 * 60; minute += 1) {
      culture = grown(organism, culture, 37, 1 / 60);
      peak = Math.max(peak, growthRate(organism, culture, 37));
      densest = Math.max(densest, culture.cells / organism.gramsPerOd);
    }
    expect(early).toBeLessThan(0.3);
    expect(peak).toBeGreaterThan(0.6);
    expect(peak).toBeLessThan(0.72);
    expect(densest).toBeCloseTo(2.46, 1);
    expect(culture.substrate).toBeLessThan(0.01);
  });

  it('turns substrate into cells and nothing else', () => {
    const start = { cells: 0.1, substrate: 2, readiness: 10 };
    const end = grown({ ...defaultOrganism, deathRate: 0 }, start, 30, 5);
    expect(end.cells - start.cells).toBeCloseTo((start.substrate - end.substrate) * defaultOrganism.yield, 9);
    expect(end.cells).toBeGreaterThan(start.cells);
  });

  it('is all that the speed scales', () => {
    const inputs = { ...idleInputs, heaterDuty: 20, stirrerDuty: 30 };
    const [slow, fast] = [vialOf(quietVial()), vialOf(quietVial({ speed: 10 }))];
    for (const vial of [slow, fast]) {
      vial.drive(inputs);
      vial.advance(1800);
    }
    expect(fast.state.thermal.liquidC).toBeCloseTo(slow.state.thermal.liquidC, 9);
    expect(fast.state.stirrer).toEqual(expect.objectContaining({ rpm: expect.closeTo(slow.state.stirrer.rpm, 0) }));
    expect(fast.od).toBeGreaterThan(1.2 * slow.od);
  });
});

describe('heat in a vial', () => {
  it('goes from warm to cold: without a heater nothing leaves the range of what touches', () => {
    const celsius = fc.double({ min: 5, max: 80, noNaN: true });
    fc.assert(
      fc.property(celsius, celsius, celsius, celsius, fc.double({ min: 1, max: 600, noNaN: true }), (a, b, c, d, s) => {
        const inputs = { duty: 0, volumeMl: 15, ambientC: d, stirred: true };
        const end = heated(defaultThermal, { heaterC: a, sleeveC: b, liquidC: c }, inputs, s);
        const [low, high] = [Math.min(a, b, c, d) - 1e-6, Math.max(a, b, c, d) + 1e-6];
        return [end.heaterC, end.sleeveC, end.liquidC].every((value) => value >= low && value <= high);
      }),
    );
  });

  it('settles near 37 °C at 18 % of the power, the board of the heater being the warmest', () => {
    const cold = { heaterC: 22, sleeveC: 22, liquidC: 22 };
    const inputs = { duty: 18, volumeMl: 15, ambientC: 22, stirred: true };
    const end = heated(defaultThermal, cold, inputs, 6 * 3600);
    expect(Math.abs(end.liquidC - 37)).toBeLessThan(1);
    expect(end.heaterC).toBeGreaterThan(end.sleeveC);
    expect(end.sleeveC).toBeGreaterThan(end.liquidC);
  });
});

describe('light in a vial', () => {
  const lit = { ...idleInputs, stirrerDuty: 30, leds: { A: 80, B: 0, C: 0, D: 0 } };

  it('peaks early at forward angles and late at backward ones', () => {
    const peak = (angle: '45' | '90' | '135') => {
      const ods = Array.from({ length: 300 }, (_, index) => 0.1 * (index + 1));
      return ods.reduce((best, od) => (photodiodeVolts(angle, od) > photodiodeVolts(angle, best) ? od : best), 0.1);
    };
    expect(peak('135')).toBeLessThan(2);
    expect(peak('90')).toBeGreaterThan(3);
    expect(peak('45')).toBeGreaterThan(peak('90'));
  });

  it('comes from the infrared LED, and the reference sees it fade alike', () => {
    const vial = vialOf(quietVial());
    expect(vial.light('90').levelV).toBeCloseTo(0.002, 9);
    vial.drive(lit);
    vial.advance(0.1);
    const ratio = () => (vial.light('135').levelV - 0.002) / (vial.light('REF').levelV - 0.002);
    const [cold, coldV] = [ratio(), vial.light('REF').levelV];
    vial.advance(20);
    expect(vial.light('REF').levelV).toBeLessThan(0.99 * coldV);
    expect(ratio()).toBeCloseTo(cold, 0);
  });

  it('falls when the cells settle and returns when they are stirred', () => {
    const vial = vialOf(quietVial({ ambientC: 2 }));
    vial.drive({ ...lit, stirrerDuty: 0 });
    vial.advance(30);
    const fresh = vial.light('90').levelV;
    vial.advance(3600);
    expect(vial.light('90').levelV).toBeLessThan(0.8 * fresh);
  });

  it('shows what is broken', () => {
    const fault = (name: 'photodiode_disconnected' | 'photodiode_saturated' | 'led_dead') => {
      const vial = vialOf(quietVial({ faults: [{ fault: name, fromS: 10, untilS: 20 }] }));
      vial.drive(lit);
      vial.advance(15);
      const broken = vial.light('90').levelV;
      vial.advance(10);
      return [broken, vial.light('90').levelV > 0.003];
    };
    expect(fault('photodiode_disconnected')).toEqual([0, true]);
    expect(fault('photodiode_saturated')).toEqual([3.3, true]);
    expect(fault('led_dead')).toEqual([0.002, true]);
  });
});

describe('pumps of a vial', () => {
  it('dilute by what they add, and waste leaves what is below its tube', () => {
    const vial = vialOf(quietVial({ ambientC: 2 }));
    const cells = vial.state.culture.cells;
    vial.drive({ ...idleInputs, pumps: { media: 100, alt_media: 0, waste: 0 } });
    vial.advance(20);
    expect(vial.state.volumeMl).toBeCloseTo(15 + 20 * 0.0911, 6);
    expect(vial.state.culture.cells).toBeCloseTo((cells * 15) / vial.state.volumeMl, 4);
    vial.drive({ ...idleInputs, pumps: { media: 0, alt_media: 0, waste: 100 } });
    vial.advance(600);
    expect(vial.state.volumeMl).toBeCloseTo(15, 3);
  });

  it('bring air when their bottle is empty, and differ from run to run', () => {
    const media = { ...idleInputs, pumps: { media: 100, alt_media: 0, waste: 0 }, leds: { A: 80, B: 0, C: 0, D: 0 } };
    const lit = { ...idleInputs, leds: { A: 80, B: 0, C: 0, D: 0 } };
    const dry = vialOf({ ...defaultVialParameters(), faults: [{ fault: 'media_dry', fromS: 0, untilS: 1e9 }] });
    dry.drive(lit);
    const { sampleSdV } = dry.light('90');
    dry.drive(media);
    expect(dry.light('90').sampleSdV).toBeGreaterThan(4 * sampleSdV);
    dry.advance(20);
    expect(dry.state.ledger.media).toBe(0);
    const noisy = vialOf(defaultVialParameters());
    const runs = [1, 2, 3].map(() => {
      const before = noisy.state.ledger.media;
      noisy.drive(media);
      noisy.advance(10);
      noisy.drive(lit);
      return noisy.state.ledger.media - before;
    });
    expect(new Set(runs).size).toBe(3);
    for (const run of runs) expect(Math.abs(run / 0.911 - 1)).toBeLessThan(0.08);
  });

  it('give less by what they lack at each start', () => {
    const vial = vialOf(quietVial({ pumpStartDeficitMl: 0.01 }));
    const media = { ...idleInputs, pumps: { media: 100, alt_media: 0, waste: 0 } };
    for (const seconds of [0.05, 10, 10]) {
      vial.drive(media);
      vial.advance(seconds / 2);
      vial.drive(media);
      vial.advance(seconds / 2);
      vial.drive(idleInputs);
    }
    expect(vial.state.ledger.media).toBeCloseTo(2 * (0.911 - 0.01), 9);
  });

  it('stop when they are blocked', () => {
    const vial = vialOf(quietVial({ faults: [{ fault: 'media_blocked', fromS: 0, untilS: 1e9 }] }));
    vial.drive({ ...idleInputs, pumps: { media: 100, alt_media: 0, waste: 0 } });
    vial.advance(20);
    expect(vial.state.ledger.media).toBe(0);
  });
});
