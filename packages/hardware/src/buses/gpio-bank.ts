export type Edge = 'rising' | 'falling';

/** Where a line is held while nothing drives it. */
export type Bias = 'pull-up' | 'pull-down';

/**
 * Input pins whose edges carry the time at which they happened, taken by the kernel (or the simulator) and not by the
 * program that reads them later. All methods throw BusError.
 */
export interface GpioBank {
  /** Edges of `line` are collected from now on. Default: pull-up, for what pulls its line down. */
  watch(line: number, edge: Edge, bias?: Bias): Promise<void>;
  /** The edges since `watch` or the last call: microseconds of the board's monotonic clock, ascending. */
  takeEdges(line: number): Promise<readonly number[]>;
  unwatch(line: number): Promise<void>;
  /** Throws when lines cannot be used at all, without an access to one; missing: they can. */
  check?(line: number): Promise<void>;
  /** Drives a line that is an output of the board, such as its status light. */
  setOutput(line: number, isHigh: boolean): Promise<void>;
}
