import type { DesiredState, DesiredStop } from '@lcs/contract';
import { builtInModels } from '@lcs/domain';
import type { IniView } from '@lcs/platform';
import { type ConfigFile, sha256Of } from '../config/unit-config.ts';
import type {
  DesiredMemory,
  DesiredParts,
  DesiredStore,
  EffectiveDocuments,
  StopOutcome,
  StoredStop,
} from '../desired/desired-store.ts';

export const testLeaderId = '3d0e6c52-9a44-4b19-8a3e-7a8e2f6b5c01';

/** A distinguishable UUID for tests. */
export const testId = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const testFile = (text: string, version = 1) => ({ version, sha256: sha256Of(text), text });

export const testModel = (index = 0): DesiredState['model'] => builtInModels[index] ?? null;

export const testExperiment = (number: number): NonNullable<DesiredState['experiment']> => ({
  name: `experiment ${number}`,
  uid: testId(number),
  assigned_at: 1_795_166_040_000,
});

export const testStop = (number: number, changes: Partial<DesiredStop> = {}): DesiredStop => ({
  stop_id: testId(number),
  experiment_uid: null,
  job_name: null,
  job_source: null,
  reason: 'reassigned',
  issued_at: 1_795_166_040_000,
  ...changes,
});

export const testDocument = (version: number, changes: Partial<DesiredState> = {}): DesiredState => ({
  leader: 'lead',
  leader_id: testLeaderId,
  version,
  leader_time: 1_795_252_443_120,
  standing: 'member',
  active: true,
  experiment: testExperiment(1),
  model: testModel(),
  config: { shared: testFile('[mqtt]\nbroker_address=lead\n'), own: testFile('') },
  stop: [],
  ...changes,
});

/** What would be on disk. */
export class MemoryDesiredStore implements DesiredStore {
  #desired: DesiredMemory['desired'];
  #inForce: EffectiveDocuments | undefined;
  #stops: readonly StoredStop[] = [];

  async load(): Promise<DesiredMemory> {
    return { desired: this.#desired, effective: this.#inForce, stops: this.#stops };
  }

  async accept(document: DesiredState, newStops: readonly DesiredStop[], inForce: EffectiveDocuments): Promise<void> {
    this.#desired = { document, applied: undefined };
    this.#inForce = inForce;
    const { version } = document;
    this.#stops = [...this.#stops, ...newStops.map((order) => ({ order, version, outcome: null }))];
  }

  async stopDone(stopId: string, outcome: StopOutcome): Promise<void> {
    this.#stops = this.#stops.map((stop) => (stop.order.stop_id === stopId ? { ...stop, outcome } : stop));
  }

  async applied(atMs: number, parts: DesiredParts, inForce: EffectiveDocuments): Promise<void> {
    if (typeof this.#desired === 'object') this.#desired = { ...this.#desired, applied: { atMs, parts } };
    this.#inForce = inForce;
  }

  async forget(inForce: EffectiveDocuments): Promise<void> {
    this.#desired = undefined;
    this.#stops = [];
    this.#inForce = inForce;
  }
}

/** Configuration files without a disk. */
export class MemoryConfig {
  readonly texts: Record<ConfigFile, string> = { shared: '', own: '' };

  text(file: ConfigFile): string {
    return this.texts[file];
  }

  /** The meaning of the texts for the parser under test. */
  sections: IniView = {};

  view(): IniView {
    return this.sections;
  }

  async replace(file: ConfigFile, text: string): Promise<void> {
    this.texts[file] = text;
  }
}
