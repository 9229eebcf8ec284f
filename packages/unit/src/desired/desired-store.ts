import type { DesiredReport, DesiredState, DesiredStop } from '@lcs/contract';
import type { ConfigFile } from '../config/unit-config.ts';

export type DesiredParts = DesiredReport['parts'];
type Stopped = DesiredReport['stopped'][number];
/** The jobs that a stop order has ended, and those it could not. */
export type StopOutcome = Pick<Stopped, 'ended' | 'still_running'>;

/** What the unit goes by. */
export interface EffectiveDocuments {
  readonly experiment: DesiredState['experiment'];
  readonly active: boolean;
  readonly model: DesiredState['model'];
  readonly config: Readonly<Record<ConfigFile, { readonly version: number; readonly sha256: string }>>;
}

/** A stop order, once received never forgotten before it was carried out. */
export interface StoredStop {
  readonly order: DesiredStop;
  /** Version of the document that brought it. */
  readonly version: number;
  readonly outcome: StopOutcome | null;
}

export interface StoredDesired {
  readonly document: DesiredState;
  /** Undefined: it was accepted, and the node ended before all of it was done. */
  readonly applied: { readonly atMs: number; readonly parts: DesiredParts } | undefined;
}

export interface DesiredMemory {
  /** `damaged`: there is one, but it cannot be trusted. */
  readonly desired: StoredDesired | 'damaged' | undefined;
  readonly inForce: EffectiveDocuments | undefined;
  readonly stops: readonly StoredStop[];
}

/** What a unit remembers of its orders. Every change is on disk when its promise resolves, as a whole. */
export interface DesiredStore {
  load(): Promise<DesiredMemory>;
  /** A new document, with those of its orders that were not known, and what was in force until now. */
  accept(document: DesiredState, newStops: readonly DesiredStop[], inForce: EffectiveDocuments): Promise<void>;
  stopDone(stopId: string, outcome: StopOutcome): Promise<void>;
  applied(atMs: number, parts: DesiredParts, inForce: EffectiveDocuments): Promise<void>;
  /** Document and orders are gone; `inForce` stays. */
  forget(inForce: EffectiveDocuments): Promise<void>;
}
