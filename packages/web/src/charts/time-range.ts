/** A window of time. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}
