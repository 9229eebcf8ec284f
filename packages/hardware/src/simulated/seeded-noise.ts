/** Normally distributed numbers (mean 0, deviation 1) that a seed fixes: sfc32 by Chris Doty-Humphrey, Box-Muller. */
export function seededNoise(seed: number): () => number {
  let a = seed | 0;
  let b = 0x9e3779b9 | 0;
  let c = 0x243f6a88 | 0;
  let counter = 1;
  const uniform = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // Near seeds begin alike; a dozen rounds part them.
  for (let round = 0; round < 12; round += 1) uniform();
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
