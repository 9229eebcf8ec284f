import type { CalibrationContent, Model } from '@lcs/contract';
import type { CultureKnowledge, DrawnRun } from '@lcs/domain';

/** A unit as the leader knows it. */
export interface RehearsalUnit {
  readonly name: string;
  readonly isActive: boolean;
  readonly model: Model;
  /** Its configuration: sections with their keys. */
  readonly config: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The active calibrations of its pumps, by device; a missing one is replaced by that of a usual pump. */
  readonly calibrations: Readonly<Record<string, CalibrationContent>>;
  readonly hasCalibratedOd: boolean;
  readonly culture: CultureKnowledge;
  /** Volumes at the start, ml. */
  readonly volumeMl: number;
  readonly bottleMl: number;
  readonly ambientC: number;
}

/** Everything on which a rehearsal depends; plain data. */
export interface RehearsalInput {
  readonly filename: string;
  /** A valid profile. */
  readonly text: string;
  readonly experiment: string;
  readonly units: readonly RehearsalUnit[];
  /** The common jobs apply to these; units with a block of their own are named in the profile. */
  readonly commonUnits: readonly string[];
  readonly ownUnits: readonly string[];
  /** No unit depends on another one: each may be computed in a process of its own. */
  readonly areIndependent: boolean;
  /**
   * Units with the expected parameters in the first draw, one of each group of alike units: their vials stand for each other, and more than
   * one of them with the same parameters would make the bands too narrow.
   */
  readonly typicalUnits: readonly string[];
  /** The end of the simulated time. */
  readonly hours: number;
  readonly seed: number;
}

/** Computes draws of a rehearsal, in processes of their own. @throws the signal's reason */
export type Rehearse = (
  input: RehearsalInput,
  options: {
    /** 1 or more; the first has the expected parameters in the typical units. */
    readonly draws: number;
    readonly signal: AbortSignal;
    /** The share that is done, 0 to 1. */
    readonly onProgress: (share: number) => void;
  },
) => Promise<RehearsedDraws>;

export interface RehearsedDraws {
  readonly runs: readonly DrawnRun[];
  /** Hours of the points of all curves. */
  readonly hours: readonly number[];
  /** Largest resident memory of a process, MiB. */
  readonly memoryMib: number;
}

/** One draw: 0 has the expected parameters in its typical units, the others random ones. */
export interface DrawOrder {
  readonly input: RehearsalInput;
  readonly draw: number;
}

/** An order to a process that computes several at once; its messages carry the number. */
export interface NumberedOrder extends DrawOrder {
  readonly number: number;
}

/** Messages of the process that computes draws. */
export type DrawMessage =
  | { readonly kind: 'progress'; readonly number: number; readonly share: number }
  | { readonly kind: 'drawn'; readonly number: number; readonly run: DrawnRun; readonly memoryMib: number }
  | { readonly kind: 'failed'; readonly number: number; readonly reason: string };
