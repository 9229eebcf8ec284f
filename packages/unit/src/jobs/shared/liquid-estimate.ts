import { BusTopic } from '@lcs/node';

/** The temperature of the liquid, estimated from the heater's board, without a probe's trim. */
export interface LiquidEstimate {
  /** °C. */
  readonly celsius: number;
  /** Duty of the heater before it rested, %. */
  readonly duty: number;
  /** Milliseconds of the monotonic clock. */
  readonly atMs: number;
}

/** The only key of the topic. */
export const liquidEstimateKey = 'liquid';

export type LiquidEstimates = BusTopic<LiquidEstimate>;
export const liquidEstimates = (): LiquidEstimates => new BusTopic<LiquidEstimate>();
