/** Number of flashes of the board's status light for each kind of fault; the same as in similar systems. */
export const faultCodes = {
  network: 1,
  broker: 2,
  disk: 3,
  stirring: 4,
  photodiode: 5,
  heat: 6,
  supply: 7,
  http: 8,
} as const;

export type FaultCode = (typeof faultCodes)[keyof typeof faultCodes];
