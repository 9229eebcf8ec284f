/** Coefficients of the Lanczos approximation, g = 7, n = 9 (Lanczos, SIAM J. Numer. Anal. 1, 1964); relative error below 1e-14. */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** ln Γ(x) for x > 0. */
export function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const z = x - 1;
  const base = z + 7.5;
  const sum = lanczos.reduce(
    (total, coefficient, index) => (index === 0 ? coefficient : total + coefficient / (z + index)),
    0,
  );
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(base) - base + Math.log(sum);
}

const tiny = 1e-300;
const mostTerms = 500;
const precision = 1e-15;
const awayFromZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);

/** Evaluates 1/(1 + a₁/(1 + a₂/(1 + …))) (modified Lentz: Thompson and Barnett, J. Comput. Phys. 64, 1986). */
function continuedFraction(term: (index: number) => number): number {
  let c = 1 / tiny;
  let d = 1;
  let value = 1;
  for (let index = 1; index < mostTerms; index += 1) {
    const a = term(index);
    d = 1 / awayFromZero(1 + a * d);
    c = awayFromZero(1 + a / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < precision) break;
  }
  return value;
}

/** The regularised incomplete beta function I_x(a, b) (continued fraction 8.17.22 of the NIST Digital Library of Mathematical Functions). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  // The fraction converges quickly on this side only.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  const term = (index: number): number => {
    const m = Math.floor(index / 2);
    return index % 2 === 0
      ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
      : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  };
  return front * continuedFraction(term);
}

/** The regularised upper incomplete gamma function Q(a, x) (series 8.11.4 and continued fraction 8.9.2 of the same library). */
export function upperIncompleteGamma(a: number, x: number): number {
  if (!(x > 0)) return 1;
  const front = Math.exp(a * Math.log(x) - x - lnGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < mostTerms && Math.abs(term) > Math.abs(sum) * precision; n += 1) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - front * sum;
  }
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < mostTerms; n += 1) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / awayFromZero(an * d + b);
    c = awayFromZero(b + an / c);
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < precision) break;
  }
  return front * value;
}
