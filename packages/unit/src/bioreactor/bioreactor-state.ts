import { ApiError, type FeedSeries, type Model } from '@lcs/contract';
import {
  type BioreactorKey,
  type BioreactorValues,
  bioreactorKeys,
  checkBioreactorValues,
  checkExperimentName,
  highestValue,
  initialBioreactorValues,
  isBioreactorKey,
} from '@lcs/domain';
import type { Database, IniView, JobMqtt, Living } from '@lcs/platform';
import type { NewRecord } from '../outbox/new-record.ts';
import { unitLog } from '../outbox/unit-note.ts';
import type { BioreactorTables } from './bioreactor-tables.ts';

export interface BioreactorStateOptions {
  readonly unit: string;
  readonly database: Pick<Database<BioreactorTables>, 'read' | 'write'>;
  readonly config: () => IniView;
  /** Of this unit; null while the leader has not named one. */
  readonly model: () => Pick<Model, 'reactor_capacity_ml'> | undefined;
  /** The experiment that this unit is in. */
  readonly current: () => { readonly name: string; readonly uid: string } | undefined;
  readonly mqtt: JobMqtt;
  readonly append: (record: NewRecord) => void;
}

type NewValues = Readonly<Record<string, number | string | boolean>>;

/** Values that are series too, so that they can be charted. */
const sources: ReadonlyMap<BioreactorKey, string> = new Map([
  ['current_volume_ml', 'liquid_volume'],
  ['alt_media_fraction', 'alt_media_fraction'],
]);

/** Digits beyond what any pump or person can mean. */
const decimals = 1e9;
const rounded = (value: number): number => Math.round(value * decimals) / decimals;

/** What is known of the vial: volumes and the share of the alternative medium, for each experiment, on disk. */
export class BioreactorState implements Living {
  readonly name = 'values of the vial';
  readonly #options: BioreactorStateOptions;
  readonly #stored = new Map<string, Map<BioreactorKey, number>>();

  constructor(options: BioreactorStateOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const rows = await this.#options.database.read.selectFrom('bioreactor_values').selectAll().execute();
    this.#stored.clear();
    for (const { experiment, key, value } of rows) {
      if (isBioreactorKey(key)) this.#remember(experiment, key, value);
    }
    const current = this.#options.current();
    if (current && this.#stored.has(current.uid)) this.#show(current.name, this.values(current.name));
  }

  async stop(): Promise<void> {}

  /** What is known in an experiment: what was stored, else what the configuration says. Never above what the vial holds. */
  values(experiment: string): BioreactorValues {
    const stored = this.#stored.get(this.#placeOf(experiment));
    const initial = initialBioreactorValues(this.#options.config().bioreactor);
    const inForce = (key: BioreactorKey): number =>
      Math.min(stored?.get(key) ?? initial[key], highestValue(key, this.#capacityMl()));
    return {
      current_volume_ml: inForce('current_volume_ml'),
      efflux_tube_volume_ml: inForce('efflux_tube_volume_ml'),
      alt_media_fraction: inForce('alt_media_fraction'),
      cumulative_media_added_ml: inForce('cumulative_media_added_ml'),
      cumulative_alt_media_added_ml: inForce('cumulative_alt_media_added_ml'),
      cumulative_waste_removed_ml: inForce('cumulative_waste_removed_ml'),
    };
  }

  /**
   * Sets values, all or none; they are on disk when this resolves.
   * @throws ApiError bioreactor_values_invalid
   */
  async set(experiment: string, wanted: NewValues): Promise<BioreactorValues> {
    const name = checkExperimentName(experiment);
    if (!name.ok || name.name !== experiment) {
      const why = name.ok ? 'It begins or ends with a blank.' : name.cause;
      throw new ApiError('bioreactor_values_invalid', { cause: `No experiment can have that name: ${why}` });
    }
    const checked = checkBioreactorValues(wanted, this.#capacityMl());
    if (!checked.ok) throw new ApiError('bioreactor_values_invalid', { cause: checked.cause });
    const place = this.#placeOf(experiment);
    const changes = bioreactorKeys.flatMap((key) => {
      const value = checked.values[key];
      return value === undefined ? [] : [{ experiment: place, key, value: rounded(value) }];
    });
    await this.#options.database.write((transaction) =>
      transaction
        .insertInto('bioreactor_values')
        .values(changes)
        .onConflict((conflict) =>
          conflict.columns(['experiment', 'key']).doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
        )
        .execute(),
    );
    for (const { key, value } of changes) this.#remember(place, key, value);
    const told = Object.fromEntries(changes.map(({ key, value }) => [key, value]));
    this.#show(experiment, told);
    this.#record(experiment, told);
    return this.values(experiment);
  }

  #remember(place: string, key: BioreactorKey, value: number): void {
    const values = this.#stored.get(place) ?? new Map<BioreactorKey, number>();
    this.#stored.set(place, values.set(key, value));
  }

  #capacityMl(): number | undefined {
    return this.#options.model()?.reactor_capacity_ml;
  }

  /** A name used again is another experiment, whose vial begins anew. */
  #placeOf(experiment: string): string {
    const current = this.#options.current();
    return current?.name === experiment ? current.uid : `name:${experiment}`;
  }

  #show(experiment: string, values: Readonly<Record<string, number>>): void {
    const { unit, mqtt } = this.#options;
    for (const [key, value] of Object.entries(values)) {
      mqtt.publish(`reactor/${unit}/${experiment}/bioreactor/${key}`, String(value), { retain: true, qos: 2 });
    }
  }

  #record(experiment: string, values: Readonly<Record<string, number>>): void {
    const { append } = this.#options;
    const current = this.#options.current();
    // Elsewhere no reading belongs: this unit is not in that experiment.
    if (current?.name !== experiment) return;
    for (const [key, source] of sources) {
      const value = values[key];
      if (value !== undefined) append({ kind: 'sample', series: seriesOf(current.uid, source), value });
    }
    const text = Object.entries(values).map(([key, value]) => `${key} = ${value}`);
    append(unitLog('INFO', 'bioreactor', `The state of the vial was set: ${text.join(', ')}.`, current.uid));
  }
}

const seriesOf = (experiment_uid: string, source: string): FeedSeries => ({
  experiment_uid,
  source,
  channel: null,
  angle: null,
  derivation: null,
  context: null,
});
