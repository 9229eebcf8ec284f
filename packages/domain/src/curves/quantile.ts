/** The value below which this share of sorted values lies, interpolated (type 7 of Hyndman and Fan, Am. Stat. 50, 1996). NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1);
  const index = Math.floor(position);
  const [lower = Number.NaN, upper = lower] = [sorted[index], sorted[index + 1]];
  return lower + (position - index) * (upper - lower);
}
