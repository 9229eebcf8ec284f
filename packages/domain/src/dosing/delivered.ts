/** A delivered volume that differs from the requested one by no more than this share is the requested one, measured by time. Chosen. */
export const deliveryRoundingShare = 0.01;

/** Whether a delivered volume differs from the requested one by more than a pump can be timed. */
export const isBeyondRounding = (deliveredMl: number, requestedMl: number): boolean =>
  Math.abs(deliveredMl - requestedMl) > deliveryRoundingShare * requestedMl;
