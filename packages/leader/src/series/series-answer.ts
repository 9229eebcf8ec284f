import type { KeepableAnswer } from './answer-cache.ts';

/** A finished answer: JSON text in UTF-8, as it goes over the wire. */
export interface SeriesAnswer extends KeepableAnswer {
  readonly bytes: Uint8Array;
  /** A quoted hash of the bytes. */
  readonly etag: string;
  /** What was asked for, or less where the answer would have grown beyond its limit. */
  readonly targetPoints: number;
}
