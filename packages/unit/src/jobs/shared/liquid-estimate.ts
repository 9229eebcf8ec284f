import { BusTopic } from '@lcs/node';

/** The temperature of the liquid, inferred from the heater's board. */
export interface LiquidEstimate {
  /** °C. */
  readonly celsius: number;
  /** The board at the end of the pause, °C. */
  readonly boardC: number;
  /** Duty of the heater before the pause, %. */
  readonly duty: number;
  /** Milliseconds of the monotonic clock. */
  readonly atMs: number;
}

/** The only key of the topic. */
export const liquidEstimateKey = 'liquid';

export type LiquidEstimates = BusTopic<LiquidEstimate>;
export const liquidEstimates = (): LiquidEstimates => new BusTopic<LiquidEstimate>();
