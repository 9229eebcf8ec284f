import { type OversamplingPlan, slotWaitS } from '@lcs/domain/boards';
import { putUnsigned, unsignedOf } from './register-bytes.ts';

/**
 * Registers of simulated converters outside the map of the real chip: they return a whole reading at once. Drivers use them
 * only on a bus that declares such registers.
 */
export const burstRegister = { identity: 0x70, plan: 0x71, level: 0x72 } as const;

export const burstIdentity: Uint8Array = Uint8Array.of(0x62, 0x75, 0x72, 0x73, 0x74, 0x31);

/** A reading to be made: the plan, and seconds until a driver has one conversion. */
export interface BurstOrder extends OversamplingPlan {
  readonly conversionS: number;
}

export const isSameOrder = (one: BurstOrder, other: BurstOrder): boolean =>
  one.rounds === other.rounds && one.spanS === other.spanS && one.conversionS === other.conversionS;

/** When a driver that reads round by round has each round's conversion, seconds; a conversion counts towards its round's wait. */
export function burstTimes(order: BurstOrder): number[] {
  const times: number[] = [];
  let timeS = 0;
  for (let round = 0; round < order.rounds; round += 1) {
    times.push(timeS);
    timeS += Math.max(order.conversionS, slotWaitS(order, round));
  }
  return times;
}

const orderBytes = 10;
const microseconds = 1e6;

export function encodeBurstOrder({ rounds, spanS, conversionS }: BurstOrder): Uint8Array {
  const bytes = new Uint8Array(orderBytes);
  putUnsigned(bytes, rounds, 0, 2);
  putUnsigned(bytes, Math.round(spanS * microseconds), 2, 6);
  putUnsigned(bytes, Math.round(conversionS * microseconds), 6, 10);
  return bytes;
}

/** undefined: not a plan. */
export function decodeBurstOrder(bytes: Uint8Array): BurstOrder | undefined {
  if (bytes.length !== orderBytes) return undefined;
  return {
    rounds: unsignedOf(bytes, 0, 2),
    spanS: unsignedOf(bytes, 2, 6) / microseconds,
    conversionS: unsignedOf(bytes, 6, 10) / microseconds,
  };
}

/** Converts between a number and its eight bytes, in one piece of memory. */
const level = new Float64Array(1);
const levelBytes = new Uint8Array(level.buffer);

export function encodeLevel(volts: number): Uint8Array {
  level[0] = volts;
  return levelBytes.slice();
}

/** Volts; NaN without a reading. */
export function decodeLevel(bytes: Uint8Array): number {
  if (bytes.length !== levelBytes.length) return Number.NaN;
  levelBytes.set(bytes);
  return level[0] ?? Number.NaN;
}
