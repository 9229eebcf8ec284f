import { type OversamplingPlan, slotWaitS } from '@lcs/domain/boards';

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
  const view = new DataView(new ArrayBuffer(orderBytes));
  view.setUint16(0, rounds);
  view.setUint32(2, Math.round(spanS * microseconds));
  view.setUint32(6, Math.round(conversionS * microseconds));
  return new Uint8Array(view.buffer);
}

/** undefined: not a plan. */
export function decodeBurstOrder(bytes: Uint8Array): BurstOrder | undefined {
  if (bytes.length !== orderBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return {
    rounds: view.getUint16(0),
    spanS: view.getUint32(2) / microseconds,
    conversionS: view.getUint32(6) / microseconds,
  };
}

export function encodeLevel(volts: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, volts);
  return new Uint8Array(view.buffer);
}

/** Volts; NaN without a reading. */
export const decodeLevel = (bytes: Uint8Array): number =>
  bytes.length === 8 ? new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0) : Number.NaN;
