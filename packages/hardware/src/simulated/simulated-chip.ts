/** A chip on the simulated bus: its registers, without time of its own. Times are the board's monotonic milliseconds. */
export interface SimulatedChip {
  read(register: number, length: number, atMs: number): Uint8Array;
  write(register: number, bytes: Uint8Array, atMs: number): void;
  /** An output of the board is about to change: what was measured up to now was measured with the old level. */
  settle?(atMs: number): void;
  /** Its supply was interrupted: its registers are those after power-on. Missing: that changes nothing. */
  powerCut?(atMs: number): void;
}

/** A register of two bytes, high byte first. */
export function word(value: number): Uint8Array {
  const bytes = new Uint8Array(2);
  bytes[0] = value >> 8;
  bytes[1] = value;
  return bytes;
}

export const wordOf = (bytes: Uint8Array) => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0);
