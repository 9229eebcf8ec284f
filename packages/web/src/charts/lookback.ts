import { startWords } from '../words/start.ts';

/** The windows of time that charts can show, up to now. */
export const lookbacks = ['10min', '1h', '4h', '12h', '1d', '3d', '10d', 'all'] as const;
export type Lookback = (typeof lookbacks)[number];

export const isLookback = (value: unknown): value is Lookback => lookbacks.some((each) => each === value);

export const lookbackText: { readonly [Key in Lookback]: string } = startWords.lookbackText;

const hours: { readonly [Key in Exclude<Lookback, 'all'>]: number } = {
  '10min': 1 / 6,
  '1h': 1,
  '4h': 4,
  '12h': 12,
  '1d': 24,
  '3d': 72,
  '10d': 240,
};

/** Hours to request; `everythingHours` stands for all. */
export const lookbackHours = (lookback: Lookback, everythingHours: number): number =>
  lookback === 'all' ? everythingHours : hours[lookback];
