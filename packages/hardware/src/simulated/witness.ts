/**
 * The record of a simulated board, independent of the programs under test: each conversion that
 * was read, and each change of an output. `mono_us`: the board's monotonic clock, `at`: wall time in milliseconds.
 */
export type WitnessEntry =
  | { readonly kind: 'start'; readonly mono_us: number; readonly at: number }
  | {
      readonly kind: 'conversion';
      readonly mono_us: number;
      readonly at: number;
      readonly device: string;
      readonly code: number;
    }
  | {
      readonly kind: 'output';
      readonly mono_us: number;
      readonly at: number;
      readonly output: string;
      readonly percent: number;
    };

export type Witness = (entry: WitnessEntry) => void;
