/** How often the board's small light flashes for what is wrong with a unit: as in similar systems, so that people know them. */
export const troubleCodes = {
  network: 1,
  broker: 2,
  disk: 3,
  stirring: 4,
  photodiode: 5,
  heat: 6,
  supply: 7,
  http: 8,
} as const;

export type TroubleCode = (typeof troubleCodes)[keyof typeof troubleCodes];
