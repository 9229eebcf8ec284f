import type { StorePlace } from '@lcs/platform/sql-reader';
import type { GrowthQuestion, UnitGrowth } from '../growth-curves/unit-growth.ts';

/** The work of a thread: the growth of some units, one after the other. */
export interface GrowthWork {
  readonly place: StorePlace;
  readonly questions: readonly GrowthQuestion[];
}

/** From the thread: one reply for each question, in their order. */
export type GrowthReply =
  | { readonly is: 'unit'; readonly index: number; readonly growth: UnitGrowth | null }
  | { readonly is: 'done' }
  | { readonly is: 'failure'; readonly message: string };
