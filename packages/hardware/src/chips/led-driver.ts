export const ledNames = ['A', 'B', 'C', 'D'] as const;
export type LedName = (typeof ledNames)[number];

/** The four LED outputs of a board, for any driver chip. */
export interface LedDriver {
  /** 0 to 100. @throws BusError */
  set(led: LedName, percent: number): Promise<void>;
}
