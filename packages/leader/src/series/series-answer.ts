/** A finished answer, as it goes over the wire. */
export interface SeriesAnswer {
  /** JSON text in UTF-8. */
  readonly bytes: Uint8Array;
  /** A quoted hash of the bytes. */
  readonly etag: string;
  /** What was asked for, or less where the answer would have grown beyond its limit. */
  readonly targetPoints: number;
  /** From this moment on (ms) the same question has another answer even if nothing new is stored. */
  readonly changesAtMs: number;
}
