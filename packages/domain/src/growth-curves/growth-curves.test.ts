import { describe, expect, it } from 'vitest';
import type { PastDose } from '../growth-rate/growth-replay.ts';
import { SeededStream } from '../random/seeded-stream.ts';
import { binAt, logisticCurve, logisticLevel, turbidostat, wavedCurve } from '../testing/growth-curve-data.ts';
import { alignmentH } from './align-curve.ts';
import {
  type CurvePoint,
  generationsOf,
  growthCurve,
  type OdBin,
  thinned,
  unknownBackgroundOd,
} from './curve-points.ts';
import type { Estimate } from './estimate.ts';
import type { CurveFit, FittedCurve } from './fit-result.ts';
import { fitGaussianProcess } from './gaussian-process.ts';
import { hasJump } from './jumps.ts';
import { fitLogLinear } from './log-linear.ts';
import { Matern } from './matern.ts';
import { fitNonlinear } from './nonlinear-least-squares.ts';
import { fitBaranyiRoberts, fitGompertz } from './sigmoid-fits.ts';
import { summariseCurve } from './summarise-curve.ts';

function fitted(fit: CurveFit): FittedCurve {
  if (fit.failure !== null) throw new Error(`${fit.fit}: ${fit.failure}`);
  return fit;
}

const contains = ({ lower, upper }: Estimate, value: number): boolean => lower <= value && value <= upper;

describe('nonlinear least squares', () => {
  it('gives the certified values of Misra1a of the NIST Statistical Reference Datasets', () => {
    const ys = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47, 81.78];
    const xs = [77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760];
    const points = xs.map((x, index) => ({ x, y: ys[index] ?? 0 }));
    const found = fitNonlinear(points, (x, [b1 = 0, b2 = 0]) => b1 * (1 - Math.exp(-b2 * x)), [500, 0.0001]);
    expect(found.converged).toBe(true);
    expect((found.parameters[0] ?? 0) / 238.94212918).toBeCloseTo(1, 6);
    expect((found.parameters[1] ?? 0) / 5.5015643181e-4).toBeCloseTo(1, 6);
    expect(found.squares).toBeCloseTo(0.12455138894, 8);
    const errorOf = (index: number) => Math.sqrt(((found.inverse?.[index]?.[index] ?? 0) * found.squares) / 12);
    expect(errorOf(0) / 2.7070075241).toBeCloseTo(1, 4);
    expect(errorOf(1) / 7.2668688436e-6).toBeCloseTo(1, 4);
  });
});

describe('sigmoid curves', () => {
  // Reference: scipy.optimize.curve_fit (SciPy 1.17.1) of the same points; its errors times the root of the inflation.
  it('fits the modified Gompertz curve as SciPy does', () => {
    const gompertz = (h: number) => -3 + 3.2 * Math.exp(-Math.exp(((0.6 * Math.E) / 3.2) * (3 - h) + 1));
    const { muMax, lag, carryingCapacity, rss, parameters } = fitted(fitGompertz(wavedCurve(gompertz, 0.25, 24)));
    const inflation = Math.sqrt(1.5846783640437703);
    expect(muMax.value).toBeCloseTo(0.5996604342425929, 6);
    expect(muMax.se).toBeCloseTo(0.003117424790312336 * inflation, 6);
    expect(lag?.value).toBeCloseTo(3.0037513061747325, 5);
    expect(lag?.se).toBeCloseTo(0.01934938100107085 * inflation, 5);
    expect(carryingCapacity?.value).toBeCloseTo(Math.exp(-3.001678350276126 + 3.1981347689197013), 5);
    expect(parameters.A).toBeCloseTo(3.1981347689197013, 5);
    expect(rss).toBeCloseTo(0.028759783464240192, 8);
  });

  it('fits the Baranyi–Roberts curve as SciPy does', () => {
    const baranyi = (h: number) => {
      const h0 = 0.6 * 3;
      const grown = 0.6 * h + Math.log(Math.exp(-0.6 * h) + Math.exp(-h0) - Math.exp(-0.6 * h - h0));
      return -3 + grown - Math.log(1 + Math.expm1(grown) / Math.exp(3.2));
    };
    const { muMax, lag, carryingCapacity, rss } = fitted(fitBaranyiRoberts(wavedCurve(baranyi, 0.25, 24)));
    const inflation = Math.sqrt(1.5832014753902188);
    expect(muMax.value).toBeCloseTo(0.6012423265187967, 5);
    expect(muMax.se).toBeCloseTo(0.003951981204189914 * inflation, 5);
    expect(lag?.value).toBeCloseTo(3.0195970999181725, 4);
    expect(lag?.se).toBeCloseTo(0.03470707727460042 * inflation, 4);
    expect(carryingCapacity?.value).toBeCloseTo(Math.exp(0.19624924653206138), 5);
    expect(carryingCapacity?.se).toBeCloseTo(Math.exp(0.19624924653206138) * 0.0026281038440676917 * inflation, 5);
    expect(rss).toBeCloseTo(0.02868095037650147, 8);
  });

  it('gives no carrying capacity without a plateau, and no fit without growth or with few points', () => {
    const exponential = wavedCurve((h) => -3 + 0.4 * h, 0.1, 6);
    for (const fit of [fitGompertz(exponential), fitBaranyiRoberts(exponential)])
      if (fit.failure === null)
        expect(fit).toMatchObject({ carryingCapacity: null, missing: { carrying_capacity: 'no_plateau' } });
      else expect(fit.failure).toBe('not_determined');
    expect(fitGompertz(wavedCurve(() => -1, 0.1, 6))).toMatchObject({ failure: 'no_growth' });
    expect(fitBaranyiRoberts(wavedCurve((h) => h, 1, 4))).toMatchObject({ failure: 'too_few_readings' });
  });

  it('ends where the culture declines', () => {
    const level = (h: number) => logisticLevel(Math.min(h, 18), 0.7) - 0.2 * Math.max(0, h - 18);
    const { toH, carryingCapacity } = fitted(fitBaranyiRoberts(wavedCurve(level, 0.1, 24)));
    expect(toH).toBeLessThan(18.5);
    expect(carryingCapacity?.value).toBeCloseTo(1.5, 1);
  });
});

describe('the log-linear fit', () => {
  it('is the ordinary regression of one window', () => {
    // Reference: scipy.stats.linregress; neighbouring residuals of these points are not positively correlated.
    const levels = [-3, -2.74, -2.51, -2.23, -2.02, -1.74];
    const curve = growthCurve(
      levels.map((level, index) => binAt(index / 2, level)),
      [],
    );
    const { muMax, parameters } = fitted(fitLogLinear(curve, 2.5));
    expect(muMax.value).toBeCloseTo(0.4994285714285714, 10);
    expect(muMax.se).toBeCloseTo(0.007862768548782186, 10);
    expect(muMax.upper - muMax.value).toBeCloseTo(2.7764451051977934 * 0.007862768548782186, 9);
    expect(parameters.intercept).toBeCloseTo(-2.9976190476190476, 10);
  });

  it('finds the exponential phase between lag and plateau, and the lag', () => {
    const level = (h: number) => (h < 2 ? -3 : h < 6 ? -3 + 0.8 * (h - 2) : 0.2);
    const { muMax, lag, fromH, toH, doublingTime } = fitted(fitLogLinear(wavedCurve(level, 1 / 30, 12), 1));
    expect(muMax.value).toBeCloseTo(0.8, 1);
    expect(fromH).toBeGreaterThan(1.5);
    expect(toH).toBeLessThan(6.5);
    expect(lag?.value).toBeCloseTo(2, 1);
    expect(doublingTime?.value).toBeCloseTo(Math.LN2 / muMax.value, 12);
    expect(doublingTime?.lower).toBeCloseTo(Math.LN2 / muMax.upper, 12);
  });

  it('fits no line to a culture that dies, or to four readings', () => {
    expect(
      fitLogLinear(
        wavedCurve((h) => -0.5 * h, 0.05, 6),
        1,
      ),
    ).toMatchObject({ failure: 'no_growth' });
    expect(
      fitLogLinear(
        wavedCurve((h) => h, 1, 3),
        1,
      ),
    ).toMatchObject({ failure: 'too_few_readings' });
  });
});

describe('the log-linear fit of a culture that grows by 0.02 per hour for days, as phototrophs and animal cells do', () => {
  const steady = (seed: number, everyMin: number) => {
    const noise = new SeededStream(`steady ${seed}`);
    const readings = Array.from({ length: (96 * 60) / everyMin }, (_, index) => {
      const h = (index * everyMin) / 60;
      return binAt(h, 0.02 * h + 0.0056 * noise.normal());
    });
    return fitted(fitLogLinear(growthCurve(readings, []), 1));
  };
  const fits = [2, 4, 5].flatMap((everyMin) => [0, 1, 2, 3, 4, 5].map((seed) => steady(seed, everyMin)));

  const isTrue = ({ muMax, lag }: FittedCurve): boolean =>
    Math.abs(muMax.value / 0.02 - 1) < 0.02 && Math.abs(lag?.value ?? Number.NaN) < 0.6;

  it('is that of days without a lag, not the steepest of thousands of hours', () => {
    expect(fits.filter(isTrue).length).toBeGreaterThanOrEqual(17);
  });

  it('has an interval that contains the true rate', () => {
    expect(fits.filter(({ muMax }) => contains(muMax, 0.02)).length).toBeGreaterThanOrEqual(16);
  });

  it('is that of an hour where growth is steady before it and after it at another rate', () => {
    const noise = new SeededStream('an hour');
    const level = (h: number) => 0.1 * h + 0.3 * Math.min(1.5, Math.max(0, h - 12));
    const readings = Array.from({ length: 30 * 30 }, (_, index) =>
      binAt(index / 30, level(index / 30) + 0.0056 * noise.normal()),
    );
    const { muMax, fromH, toH } = fitted(fitLogLinear(growthCurve(readings, []), 1));
    expect(muMax.value).toBeCloseTo(0.4, 1);
    expect([fromH, toH].every((h) => h > 11.5 && h < 14)).toBe(true);
  });
});

describe('jumps', () => {
  const noise = (seed: string) => {
    const stream = new SeededStream(seed);
    return () => 0.03 * stream.normal();
  };
  /** ln OD every minute, with noise. */
  const minutes = (levelAt: (h: number) => number, hours: number, seed = 'jump') => {
    const next = noise(seed);
    return growthCurve(
      Array.from({ length: 60 * hours }, (_, minute) => binAt(minute / 60, levelAt(minute / 60) + next())),
      [],
    );
  };

  it('are no growth: the rate is that of the culture, wherever the jump is', () => {
    for (const jumpH of [3, 5.3, 9.7]) {
      const curve = minutes((h) => -2 + 0.15 * h + (h < jumpH ? 0 : 0.8), 12);
      const { muMax, fromH, toH } = fitted(fitLogLinear(curve, 1));
      expect(muMax.value, `${jumpH} h`).toBeCloseTo(0.15, 1);
      expect(toH <= jumpH + 0.2 || fromH >= jumpH - 0.2, `${jumpH} h`).toBe(true);
    }
  });

  it('are no growth of the Gaussian process, either, as when a stirrer turns again and lifts the settled cells', () => {
    for (const jumpH of [3, 5.3, 9.7]) {
      const settled = (h: number) => (h > jumpH - 0.5 && h < jumpH ? -0.3 : 0);
      for (const curve of [
        minutes((h) => -2 + 0.15 * h + (h < jumpH ? 0 : 0.8), 12),
        minutes((h) => -2 + 0.15 * h + settled(h), 12),
      ]) {
        const { muMax, muMaxAtH } = fitted(fitGaussianProcess(curve, 6));
        expect(muMax.value, `${jumpH} h`).toBeLessThan(0.45);
        expect(Math.abs(muMaxAtH - jumpH), `${jumpH} h`).toBeGreaterThan(0.2);
      }
    }
  });

  it('leave no rate of the Gaussian process where all is one', () => {
    const steps = minutes((h) => (h < 0.6 ? 0 : 1), 1.2);
    expect(fitGaussianProcess(steps, 0.6)).toEqual({ fit: 'gaussian_process', failure: 'not_determined' });
  });

  it('are not seen in steady growth, in growth that speeds up or slows down, or in wild readings', () => {
    const shapes: readonly ((h: number) => number)[] = [
      (h) => 0.4 * h,
      (h) => 0.1 * h ** 2,
      (h) => 1 - Math.exp(-h),
      (h) => Math.max(0, 0.8 * (h - 1)),
      (h) => 0.4 * h + (Math.abs(h - 1) < 1 / 60 ? 2 : 0),
    ];
    for (const [index, shape] of shapes.entries())
      for (const seed of ['a', 'b', 'c', 'd', 'e', 'f'])
        expect(hasJump(minutes(shape, 2, seed).points), `shape ${index}, noise ${seed}`).toBe(false);
    expect(hasJump(minutes((h) => 0.4 * h + (h < 1 ? 0 : 0.3), 2).points)).toBe(true);
    // Each point counts where there are few; with nine there is no telling.
    const few = (count: number) => minutes((h) => (h < 5 / 60 ? 0 : 0.8), 1).points.slice(0, count);
    expect([hasJump(few(10)), hasJump(few(9))]).toEqual([true, false]);
  });

  it('leave no rate where every window has one', () => {
    const steps = minutes((h) => (h < 0.6 ? 0 : 1), 1.2);
    expect(hasJump(steps.points)).toBe(true);
    expect(fitLogLinear(steps, 1.1)).toEqual({ fit: 'log_linear', failure: 'not_determined' });
  });
});

describe('the Gaussian process', () => {
  it('uses a kernel whose slopes are its derivatives', () => {
    const kernel = new Matern({ lnDeviation: Math.log(0.5), lnLengthH: Math.log(1.3), lnNoise: 0 });
    const step = 1e-5;
    for (const [x, y] of [
      [0, 0.7],
      [2.1, 0.3],
      [1, 4],
    ] as const) {
      const slope = (kernel.values(x + step, y) - kernel.values(x - step, y)) / (2 * step);
      expect(kernel.slopeValue(x, y)).toBeCloseTo(slope, 8);
      const both = (kernel.slopeValue(x, y + step) - kernel.slopeValue(x, y - step)) / (2 * step);
      expect(kernel.slopes(x, y)).toBeCloseTo(both, 8);
    }
  });

  it('gives the same numbers for the same readings', () => {
    const curve = logisticCurve('again', 0.6, 0.02);
    expect(fitGaussianProcess(curve, 6)).toEqual(fitGaussianProcess(curve, 6));
  });

  it('has intervals that contain their value, also where the drawn curves are all steeper', () => {
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      const stream = new SeededStream(seed);
      const bins = Array.from({ length: 12 }, (_, index) => binAt(index / 6, index / 12 + 0.02 * stream.normal()));
      const { muMax, lag } = fitted(fitGaussianProcess(growthCurve(bins, []), 1));
      expect(contains(muMax, muMax.value), seed).toBe(true);
      if (lag !== null) expect(contains(lag, lag.value), seed).toBe(true);
    }
  });
});

it('gives no rate of nine minutes, in which no culture grows by a fifth', () => {
  const stream = new SeededStream('nine minutes');
  // 0.7/h, with a reading every five seconds.
  const minutes = Array.from({ length: 108 }, (_, index) =>
    binAt(index / 720, (0.7 * index) / 720 + 0.01 * stream.normal()),
  );
  const { fits } = summariseCurve(growthCurve(minutes, []));
  expect(fits.map(({ failure }) => failure)).not.toContain(null);
  expect(fits.find(({ fit }) => fit === 'gaussian_process')).toMatchObject({ failure: 'no_growth' });
  // A slow culture has grown enough after a day.
  const slow = growthCurve(
    Array.from({ length: 145 }, (_, index) => binAt(index / 6, index / 240 + 0.005 * stream.normal())),
    [],
  );
  for (const fit of [fitLogLinear(slow, 1), fitGaussianProcess(slow, 12)]) expect(fit.failure).toBeNull();
});

describe('all fits of many cultures', () => {
  const cultures = Array.from({ length: 30 }, (_, index) =>
    summariseCurve(logisticCurve(`culture ${index}`, 0.6, 0.03)),
  );
  // The highest slope of a logistic curve on ln OD is at its start: 0.6·(1 − 0.05/1.5).
  const highestRate = 0.6 * (1 - 0.05 / 1.5);
  const estimates = (name: string) =>
    cultures.flatMap(({ fits }) => fits.filter(({ fit }) => fit === name)).map(fitted);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it.each([
    ['log_linear', highestRate, 0.1],
    ['baranyi_roberts', 0.6, 0.01],
    ['gaussian_process', highestRate, 0.06],
  ])('%s: µmax has no large bias', (name, rate, bias) => {
    expect(Math.abs(mean(estimates(name).map(({ muMax }) => muMax.value)) - rate)).toBeLessThan(bias);
  });

  it('the interval of the true model contains the true rate in about 95 of 100 cultures', () => {
    // The Baranyi–Roberts curve without lag is the logistic curve; 30 draws of 95 % have 25 or more with p > 0.99.
    expect(estimates('baranyi_roberts').filter(({ muMax }) => contains(muMax, 0.6)).length).toBeGreaterThanOrEqual(25);
    expect(
      estimates('baranyi_roberts').filter(({ carryingCapacity: k }) => k !== null && contains(k, 1.5)).length,
    ).toBeGreaterThanOrEqual(25);
  });

  it('the interval of the Gaussian process is neither far too narrow nor useless', () => {
    const found = estimates('gaussian_process');
    expect(found.filter(({ muMax }) => contains(muMax, highestRate)).length).toBeGreaterThanOrEqual(20);
    expect(mean(found.map(({ muMax }) => muMax.se))).toBeLessThan(0.08);
    expect(mean(found.map(({ carryingCapacity }) => carryingCapacity?.value ?? 0))).toBeCloseTo(1.5, 1);
  });
});

describe('medium doses', () => {
  const { bins, doses } = turbidostat(0.5, 12, 0.004);

  it('are taken out of rates and generations', () => {
    const curve = growthCurve(bins, doses);
    const { generations, fits } = summariseCurve(curve);
    expect(curve.doses).toBe(doses.length);
    expect(doses.length).toBeGreaterThan(60);
    expect(generations).toBeCloseTo((0.5 * 12) / Math.LN2, 1);
    expect(fitted(fits[0] ?? { fit: 'log_linear', failure: 'no_growth' }).muMax.value).toBeCloseTo(0.5, 1);
    const process = fits.find(({ fit }) => fit === 'gaussian_process');
    expect(process).toMatchObject({
      failure: null,
      carryingCapacity: null,
      missing: { carrying_capacity: 'no_plateau' },
    });
  });

  it('are taken out of wide bins that contain many of them', () => {
    const wide = Array.from({ length: 72 }, (_, index) => {
      const inside = bins.slice(index * 10, index * 10 + 10);
      const [first, last] = [inside[0], inside.at(-1)];
      const od = inside.reduce((sum, bin) => sum + bin.od, 0) / inside.length;
      return { firstMs: first?.firstMs ?? 0, lastMs: last?.lastMs ?? 0, od, readings: 10 };
    });
    const { points } = growthCurve(wide, doses);
    for (const [index, { h, level }] of points.entries())
      expect(level - 0.5 * h - (points[0]?.level ?? 0) + 0.5 * (points[0]?.h ?? 0), String(index)).toBeCloseTo(0, 1);
  });

  it('without them the same culture seems not to grow', () => {
    expect(generationsOf(growthCurve(bins, []).points)).toBeLessThan(1);
  });
});

describe('volumes of doses that are not exact', () => {
  it('are no growth: the rate is that of the time without doses', () => {
    // 0.38 per hour until OD 0.05 is exchanged with a volume an hour, of which the record has a fifth more.
    const stream = new SeededStream('diluted');
    const bins: OdBin[] = [];
    const doses: PastDose[] = [];
    const [volumeMl, movedMl] = [15, 15 / 60];
    let log = Math.log(0.0006);
    for (let minute = 0; minute < 27 * 60; minute += 1) {
      log += Math.min(0.38, 0.05 + Math.max(0, minute / 60 - 4) * 0.055) / 60;
      if (minute >= 24 * 60 && log > Math.log(0.05)) {
        doses.push({ atMs: minute * 60_000 + 30_000, volumeMl, addedMl: movedMl * 1.2 });
        log -= Math.log(1 + movedMl / volumeMl);
      }
      const od = Math.exp(log + 0.01 * stream.normal());
      bins.push({ firstMs: minute * 60_000, lastMs: minute * 60_000 + 55_000, od, readings: 12 });
    }
    const curve = growthCurve(bins, doses);
    expect(fitted(fitLogLinear(curve, 1)).muMax.value).toBeCloseTo(0.38, 2);
    expect(fitted(fitGaussianProcess(curve, 24)).muMax.value).toBeLessThan(0.4);
  });

  it('are in the interval of a culture that is always diluted', () => {
    const { bins, doses } = turbidostat(0.5, 12, 0.004);
    const larger = doses.map((dose) => ({ ...dose, addedMl: 1.05 * dose.addedMl }));
    const curve = growthCurve(bins, larger);
    for (const fit of [fitLogLinear(curve, 1), fitGaussianProcess(curve, 6)])
      expect(contains(fitted(fit).muMax, 0.5), fit.fit).toBe(true);
  });
});

describe('a batch culture that is hardly above the background for hours', () => {
  // OD 0.03 for 8 h, then 0.25 per hour; readings of a minute with a noise of OD 0.05, at the background more than their OD.
  const curves = ['a', 'b', 'c', 'd', 'e', 'f'].map((seed) => {
    const stream = new SeededStream(seed);
    const bins = Array.from({ length: 24 * 60 }, (_, minute) => {
      const od = 0.03 * Math.exp(0.25 * Math.max(0, minute / 60 - 8)) + 0.05 * stream.normal();
      return { firstMs: minute * 60_000, lastMs: minute * 60_000, od, readings: 1 };
    });
    return growthCurve(bins, []);
  });

  it('has a µmax that is that of the culture, not that of the noise', () => {
    for (const curve of curves)
      for (const fit of [fitLogLinear(curve, 1), fitGaussianProcess(curve, 20)]) {
        const { muMax, parameters } = fitted(fit);
        expect(Math.abs(muMax.value / 0.25 - 1), fit.fit).toBeLessThan(0.15);
        if (fit.fit === 'log_linear') expect(parameters.near_background).toBeGreaterThan(300);
      }
  });

  it('has a log-linear window as long as the noise demands', () => {
    const windows = curves.map((curve) => Number(fitted(fitLogLinear(curve, 1)).parameters.window_h));
    expect(Math.min(...windows)).toBeGreaterThan(1);
    expect(fitted(fitLogLinear(logisticCurve('quiet', 0.6, 0.001), 1)).parameters.window_h).toBe(1);
  });
});

describe('a culture that is inoculated within the noise', () => {
  // 0.3 per hour from OD 0.002 on; readings of a minute with a noise of OD 0.004.
  const curves = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((seed) => {
    const stream = new SeededStream(seed);
    const bins = Array.from({ length: 16 * 60 }, (_, minute) => {
      const od = 0.002 * Math.exp((0.3 * minute) / 60) * (1 + 0.005 * stream.normal()) + 0.004 * stream.normal();
      return { firstMs: minute * 60_000, lastMs: minute * 60_000, od, readings: 1 };
    });
    return growthCurve(bins, []);
  });

  it('has sigmoid curves without what the missing readings leave', () => {
    const rates = curves.flatMap((curve) => {
      const fit = fitGompertz(curve);
      return fit.failure === null ? [fit.muMax] : [];
    });
    expect(rates.length).toBeGreaterThan(3);
    for (const { value } of rates) expect(Math.abs(value / 0.3 - 1)).toBeLessThan(0.04);
  });

  it('has no lag, because its start is not seen', () => {
    const fits = curves.flatMap((curve) => summariseCurve(curve).fits.filter(({ failure }) => failure === null));
    expect(fits.length).toBeGreaterThan(12);
    for (const fit of fits) expect(fitted(fit)).toMatchObject({ lag: null, missing: { lag: 'start_near_background' } });
  });
});

describe('a signal with an unknown background', () => {
  /** Cells of 0.0002 V that grow by 0.4/h after 2 h, on a background of 0.003 V; a reading every 4 min with noise. */
  const curveWith = (backgroundOd: number, startV = 0.0002) => {
    const stream = new SeededStream('background');
    const bins = Array.from({ length: 24 * 15 }, (_, index) => {
      const h = index / 15;
      const cells = startV / (startV / 0.6 + Math.exp(-0.4 * Math.max(0, h - 2)));
      return binAt(h, Math.log(cells + 0.003) + 0.005 * stream.normal());
    });
    return growthCurve(bins, [], { backgroundOd });
  };

  it('gives no lag where the curve begins within it: the time to outgrow it would be one', () => {
    const known = summariseCurve(curveWith(0)).fits.map(fitted);
    expect(known.map(({ lag }) => (lag?.lower ?? 0) > 6)).toEqual([true, true, true, true]);
    const unknown = summariseCurve(curveWith(unknownBackgroundOd)).fits.map(fitted);
    expect(unknown.map(({ lag, missing }) => lag ?? missing.lag)).toEqual(Array(4).fill('start_near_background'));
    const dense = summariseCurve(curveWith(unknownBackgroundOd, 0.05));
    expect(dense.generationsFromH).toBe(0);
    for (const { lag } of dense.fits.map(fitted)) expect(Math.abs((lag?.value ?? 0) - 2)).toBeLessThan(1);
  });

  it('counts generations from the time on at which it is clear of it', () => {
    const { generations, generationsFromH } = summariseCurve(curveWith(unknownBackgroundOd));
    // From 0.04 to 0.6 V.
    expect(generations).toBeCloseTo(Math.log2(0.6 / 0.04), 0);
    expect(generationsFromH).toBeCloseTo(2 + Math.log(0.037 / 0.0002) / 0.4, 0);
    expect(summariseCurve(curveWith(0))).toMatchObject({ generationsFromH: 0 });
    const { points, ...rest } = curveWith(unknownBackgroundOd);
    const within = summariseCurve({ ...rest, points: points.filter(({ od }) => od < 0.03) });
    expect(within).toMatchObject({ generations: null, generationsFromH: null });
  });

  it('widens the intervals of rates as far as it may change them', () => {
    for (const fit of ['log_linear', 'gaussian_process'] as const) {
      const muMaxOf = (backgroundOd: number) => {
        const { points, ...rest } = curveWith(backgroundOd);
        // The culture is taken out before it is clear of the background.
        const short = { ...rest, points: points.filter(({ od }) => od < 0.02) };
        return fitted(fit === 'log_linear' ? fitLogLinear(short, 1) : fitGaussianProcess(short, 12)).muMax;
      };
      expect(contains(muMaxOf(0), 0.4), fit).toBe(false);
      expect(contains(muMaxOf(unknownBackgroundOd), 0.4), fit).toBe(true);
    }
  });
});

describe('readings that are not positive', () => {
  it('are left out and counted', () => {
    const bins = [0.1, -0.02, 0, 0.2].map((od, index) => ({ firstMs: index, lastMs: index, od, readings: 1 }));
    expect(growthCurve(bins, [])).toMatchObject({ notPositive: 2, points: [{ od: 0.1 }, { od: 0.2 }] });
    expect(growthCurve(bins, [], { leastOd: 0.15 })).toMatchObject({ notPositive: 3 });
    expect(growthCurve([], [])).toMatchObject({ points: [], notPositive: 0 });
    expect(summariseCurve(growthCurve([], []))).toMatchObject({ generations: null, startOd: null });
  });
});

describe('alignment', () => {
  const points = (ods: readonly number[]): CurvePoint[] => ods.map((od, h) => ({ h, od, level: Math.log(od) }));

  it('is where ln OD crosses the value, not at a single high reading', () => {
    expect(alignmentH(points([0.1, 0.9, 0.1, 0.2, 0.4, 0.8, 1.6]), { on: 'od', od: 0.28284 }, null)).toBeCloseTo(
      3.5,
      4,
    );
    expect(alignmentH(points([0.1, 0.2]), { on: 'od', od: 0.5 }, null)).toBeNull();
    expect(alignmentH(points([0.6, 0.7]), { on: 'od', od: 0.5 }, null)).toBeNull();
    expect(alignmentH(points([0.6]), { on: 'start' }, 2)).toBe(0);
    expect(alignmentH(points([0.6]), { on: 'first_dilution' }, 2)).toBe(2);
    expect(alignmentH(points([0.6]), { on: 'first_dilution' }, null)).toBeNull();
  });
});

it('thins to means of equal times', () => {
  const few = thinned(
    Array.from({ length: 100 }, (_, index) => ({ h: index, od: 1, level: index })),
    10,
  );
  expect(few).toHaveLength(10);
  expect(few[0]).toEqual({ h: 4.5, od: 1, level: 4.5 });
});
