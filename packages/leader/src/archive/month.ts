/** A month of the calendar (UTC). */
export interface Month {
  /** Such as `2026-08`. */
  readonly name: string;
  readonly fromMs: number;
  /** The beginning of the next month. */
  readonly toMs: number;
}

/** The month of this name; undefined: there is none. */
export function monthNamed(name: string): Month | undefined {
  const [, year, month] = /^([1-9]\d{3})-(0[1-9]|1[0-2])$/.exec(name) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const [fromYear, fromMonth] = [Number(year), Number(month) - 1];
  return { name, fromMs: Date.UTC(fromYear, fromMonth), toMs: Date.UTC(fromYear, fromMonth + 1) };
}
