import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curveAt, EmptyCurve } from './curve.ts';
import { fitAkima } from './fit-akima.ts';
import { fitPolynomial, fitThroughOrigin } from './fit-polynomial.ts';
import { fitSpline } from './fit-spline.ts';
import { domainOf, inverseOf, solveCurve } from './inverse.ts';
import { realRoots } from './real-roots.ts';

const pointsOf = (xs: readonly number[], ys: readonly number[]) => xs.map((x, index) => ({ x, y: ys[index] ?? 0 }));
const present = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('The fit must give a curve.');
  return value;
};
const everywhere = domainOf([]);
const close = (values: readonly number[], expected: readonly number[]) => {
  expect(values).toHaveLength(expected.length);
  for (const [index, value] of expected.entries()) expect(values[index]).toBeCloseTo(value, 4);
};

const bent = pointsOf([0, 0.1, 0.2, 0.4, 0.8, 1.2, 1.6, 2.4], [0.01, 0.07, 0.14, 0.27, 0.5, 0.68, 0.82, 1.02]);

describe('an Akima curve', () => {
  const akima = present(fitAkima(pointsOf([0, 1, 2, 4, 7], [0, 1, 4, 3, 10])));

  it('has the values of the golden vector, also beyond its ends', () => {
    const at = [0.5, 1.5, 3, 5, 8, -1].map((x) => curveAt(akima, x));
    close(at, [0.284091, 2.521944, 3.621484, 4.455166, 14.288499, 1.545455]);
  });

  it('has several solutions for a value', () => {
    close(solveCurve(akima, 3.5), [-1.44864, 1.784765, 3.086273, 4.409431]);
    expect(inverseOf(akima, 3.5, { min: 0, max: 7 })).toEqual({ kind: 'found', x: solveCurve(akima, 3.5)[1] });
    expect(inverseOf(akima, 3.5, { min: 5, max: 7 })).toMatchObject({ kind: 'below' });
  });

  it('is a straight line through two points, and uses the mean of points with the same x', () => {
    const line = present(fitAkima(pointsOf([1, 3, 3], [2, 5, 7])));
    expect([1, 2, 3, 5].map((x) => curveAt(line, x))).toEqual([2, 4, 6, 10]);
    expect(fitAkima(pointsOf([1, 1], [2, 5]))).toBeUndefined();
  });
});

describe('a spline', () => {
  it('chooses its knots as the golden vector does', () => {
    const spline = present(fitSpline(bent));
    if (spline.type !== 'spline') throw new Error(spline.type);
    close(spline.knots, [0, 0.6, 2.4]);
    close(spline.coefficients.flat(), [0.004349, 0.687805, 0, -0.104673, 0.394423, 0.574758, -0.188412, 0.034891]);
    close([curveAt(spline, 1), curveAt(spline, 3)], [0.596413, 1.170923]);
    const domain = domainOf(bent.map(({ x }) => x));
    expect(inverseOf(spline, 0.6, domain)).toMatchObject({ kind: 'found', x: expect.closeTo(1.00816, 4) });
    expect(solveCurve(spline, 0.6)).toContainEqual(expect.closeTo(-2.918984, 4));
  });

  it('is a line for two points, and undefined for one', () => {
    const line = present(fitSpline(pointsOf([0, 2], [1, 5])));
    expect(curveAt(line, 1)).toBeCloseTo(3, 9);
    expect(fitSpline(pointsOf([1, 1], [1, 2]))).toBeUndefined();
  });

  it('keeps the outermost knots when many points have the same x', () => {
    const heap = pointsOf([0, 0, 0, 0, 1, 2], [1, 1, 1, 1, 2, 3]);
    expect(curveAt(present(fitSpline(heap, 5)), 1.5)).toBeCloseTo(2.5, 6);
  });
});

describe('a polynomial', () => {
  it('has the degree and coefficients of the golden vector', () => {
    const poly = present(fitPolynomial(bent));
    close([...poly.coefficients.flat()], [-0.115741, 0.698716, 0.007077]);
    const domain = domainOf(bent.map(({ x }) => x));
    expect(inverseOf(poly, 0.5, domain)).toMatchObject({ kind: 'found', x: expect.closeTo(0.815681, 4) });
    close(solveCurve(poly, 0.5), [0.815681, 5.221197]);
  });

  it('lists its highest power first, and does not fit rounding errors', () => {
    expect(curveAt({ type: 'poly', coefficients: [2, 0, 1] }, 3)).toBe(19);
    const exactLine = pointsOf([0, 1, 2, 3, 4, 5, 6, 7], [1, 1.3, 1.6, 1.9, 2.2, 2.5, 2.8, 3.1]);
    expect(present(fitPolynomial(exactLine)).coefficients).toHaveLength(2);
    expect(present(fitPolynomial(pointsOf([0, 1], [1, 3]))).coefficients).toHaveLength(2);
  });

  it('goes through the origin for a pump', () => {
    const line = present(fitThroughOrigin(pointsOf([1, 2, 3], [0.5, 1.1, 1.4])));
    expect(line.slope).toBeCloseTo((0.5 + 2.2 + 4.2) / 14, 9);
    expect(line.standardError).toBeGreaterThan(0);
    expect(fitThroughOrigin(pointsOf([0], [1]))).toBeUndefined();
  });

  it('through the origin has a high R² for equal results of equal runs, and a low one for equal results of different runs', () => {
    expect(fitThroughOrigin(pointsOf([1, 1, 1], [0.1, 0.1, 0.1]))?.rSquared).toBe(1);
    expect(fitThroughOrigin(pointsOf([1, 2, 3], [0.1, 0.1, 0.1]))?.rSquared).toBe(0);
  });
});

describe('the inverse', () => {
  const line = { type: 'poly', coefficients: [0.5, 0] } as const;

  it('reports an x outside the domain, and rounds to its limits', () => {
    const poly = { ...line, coefficients: [...line.coefficients] };
    expect(inverseOf(poly, 0.5, { min: 1, max: 2 })).toEqual({ kind: 'found', x: 1 });
    expect(inverseOf(poly, 0.4, { min: 1, max: 2 })).toEqual({ kind: 'below', x: 0.8 });
    expect(inverseOf(poly, 1.2, { min: 1, max: 2 })).toEqual({ kind: 'above', x: 2.4 });
    expect(inverseOf(poly, 1.2, everywhere)).toEqual({ kind: 'found', x: 2.4 });
    const constant = { type: 'poly' as const, coefficients: [3] };
    expect(inverseOf(constant, 2, everywhere)).toEqual({ kind: 'no_solution' });
    expect(inverseOf({ type: 'poly', coefficients: [1, 0, 1] }, 0, everywhere)).toEqual({ kind: 'no_solution' });
  });

  it('throws for an empty curve', () => {
    expect(() => curveAt({ type: 'poly', coefficients: [] }, 1)).toThrow(EmptyCurve);
    expect(() => curveAt({ type: 'spline', knots: [], coefficients: [] }, 1)).toThrow(EmptyCurve);
    expect(() => inverseOf({ type: 'akima', knots: [], coefficients: [] }, 1, everywhere)).toThrow(EmptyCurve);
  });

  it('finds every root of a polynomial', () => {
    const root = fc.integer({ min: -20, max: 20 });
    fc.assert(
      fc.property(fc.uniqueArray(root, { minLength: 1, maxLength: 4 }), (expected) => {
        const times = (made: readonly number[], one: number): number[] =>
          made.concat(0).map((value, index) => value - one * (made[index - 1] ?? 0));
        const coefficients = expected.reduce(times, [1]);
        const found = realRoots(coefficients);
        return [...expected].sort((a, b) => a - b).every((one, index) => Math.abs((found[index] ?? 99) - one) < 1e-6);
      }),
    );
    close(realRoots([1, -2, 1]), [1]);
    close(realRoots([1, -4, 5, -2]), [1, 2]);
  });

  it('inverts a rising curve', () => {
    const spline = present(fitSpline(bent));
    const domain = domainOf(bent.map(({ x }) => x));
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2.4, noNaN: true }), (x) => {
        const found = inverseOf(spline, curveAt(spline, x), domain);
        return found.kind !== 'no_solution' && Math.abs(found.x - x) < 1e-6;
      }),
    );
  });
});
