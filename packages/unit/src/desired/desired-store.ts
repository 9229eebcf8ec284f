import type { DesiredReport, DesiredState, DesiredStop } from '@lcs/contract';
import type { ConfigFile } from '../config/unit-config.ts';

export type DesiredParts = DesiredReport['parts'];
type Stopped = DesiredReport['stopped'][number];
/** The jobs that a stop order has ended, and those that it could not end. */
export type StopOutcome = Pick<Stopped, 'ended' | 'still_running'>;

/** The effective parts of a unit. */
export interface EffectiveDocuments {
  readonly experiment: DesiredState['experiment'];
  readonly active: boolean;
  readonly model: DesiredState['model'];
  readonly config: Readonly<Record<ConfigFile, { readonly version: number; readonly sha256: string }>>;
}

/** A stop order; it is kept until it is executed. */
export interface StoredStop {
  readonly order: DesiredStop;
  /** Version of its document. */
  readonly version: number;
  readonly outcome: StopOutcome | null;
}

export interface StoredDesired {
  readonly document: DesiredState;
  /** Undefined: the node ended before it was fully applied. */
  readonly applied: { readonly atMs: number; readonly parts: DesiredParts } | undefined;
}

export interface DesiredMemory {
  /** `damaged`: the stored document is invalid. */
  readonly desired: StoredDesired | 'damaged' | undefined;
  readonly effective: EffectiveDocuments | undefined;
  readonly stops: readonly StoredStop[];
}

/** The store of documents and orders. Every change is atomic and on disk when its promise resolves. */
export interface DesiredStore {
  load(): Promise<DesiredMemory>;
  /** Stores a new document with its new orders, and the present effective parts. */
  accept(document: DesiredState, newStops: readonly DesiredStop[], effective: EffectiveDocuments): Promise<void>;
  stopDone(stopId: string, outcome: StopOutcome): Promise<void>;
  applied(atMs: number, parts: DesiredParts, effective: EffectiveDocuments): Promise<void>;
  /** Removes document and orders; keeps `inForce`. */
  forget(effective: EffectiveDocuments): Promise<void>;
}
