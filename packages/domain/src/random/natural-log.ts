/**
 * The natural logarithm of a positive finite number, by + - * / alone: `Math.log` may differ in the last bit between
 * machines (ECMA-262 leaves its precision open), and one differing bit changes all that follows in a simulation.
 * Relative error below 1e-14.
 */
export function naturalLog(x: number): number {
  let mantissa = x;
  let twos = 0;
  while (mantissa > Math.SQRT2) {
    mantissa /= 2;
    twos += 1;
  }
  while (mantissa < Math.SQRT1_2) {
    mantissa *= 2;
    twos -= 1;
  }
  // ln m = 2 artanh((m − 1) / (m + 1)); the ratio is below 0.172, so twelve terms reach the last bits.
  const ratio = (mantissa - 1) / (mantissa + 1);
  const square = ratio * ratio;
  let sum = 0;
  for (let odd = 23; odd >= 1; odd -= 2) {
    sum = sum * square + 1 / odd;
  }
  return 2 * ratio * sum + twos * Math.LN2;
}
