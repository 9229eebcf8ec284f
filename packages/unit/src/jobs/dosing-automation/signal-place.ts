/** Where a number that a rule looks at is told. */
export type SignalPlace =
  | {
      readonly from: 'reading';
      readonly source: 'od' | 'od_fused' | 'od_filtered' | 'growth_rate';
      readonly channel?: string;
    }
  /** What another job publishes; `keys` lead to the number where that is an object. */
  | { readonly from: 'setting'; readonly job: string; readonly setting: string; readonly keys: readonly string[] };
