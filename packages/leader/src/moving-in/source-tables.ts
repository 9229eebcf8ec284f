/**
 * Tables of the database of a Pioreactor leader (version 26.7.2) with a place in this store, by the facts of that schema. Other versions
 * have fewer tables or columns, which the report lists.
 */

/** A table of readings: each of `values` is one reading of a row. */
export interface ReadingsTable {
  readonly table: string;
  /** Source of the series here. */
  readonly source: string;
  readonly values: readonly { readonly column: string; readonly channel?: string }[];
  /** Columns that tell series of one unit apart. */
  readonly channel?: 'channel';
  readonly angle?: 'angle';
  /** Computed by the growth filter of the other system. */
  readonly isDerived?: true;
}

const readings = (table: string, source: string, column: string, more: Partial<ReadingsTable> = {}): ReadingsTable => ({
  table,
  source,
  values: [{ column }],
  ...more,
});

const perPhotodiode = { channel: 'channel', angle: 'angle' } as const;

export const readingsTables: readonly ReadingsTable[] = [
  readings('od_readings', 'od', 'od_reading', perPhotodiode),
  readings('raw_od_readings', 'raw_od', 'od_reading', { channel: 'channel' }),
  readings('od_readings_fused', 'od_fused', 'od_reading'),
  readings('od_readings_filtered', 'od_filtered', 'normalized_od_reading', { isDerived: true }),
  readings('growth_rates', 'growth_rate', 'rate', { isDerived: true }),
  readings('temperature_readings', 'temperature', 'temperature_c'),
  readings('stirring_rates', 'stirring_rpm', 'measured_rpm'),
  readings('alt_media_fractions', 'alt_media_fraction', 'alt_media_fraction'),
  readings('liquid_volumes', 'liquid_volume', 'liquid_volume'),
  readings('ir_led_intensities', 'ir_led_relative_intensity', 'relative_intensity'),
  readings('od_blanks', 'od_blank', 'od_reading', perPhotodiode),
  {
    table: 'pwm_dcs',
    source: 'pwm_duty',
    values: ['1', '2', '3', '4', '5'].map((channel) => ({ column: `channel_${channel}`, channel })),
  },
];

/** Columns of a table of events and log entries; their order is that of the cells which `convert` receives. */
export interface RecordsTable {
  readonly table: string;
  readonly time: 'timestamp' | 'started_at';
  /** Rows without a unit belong to the leader. */
  readonly hasUnit: boolean;
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

const records = (table: string, texts: readonly string[], numbers: readonly string[] = []): RecordsTable => ({
  table,
  texts,
  numbers,
  time: 'timestamp',
  hasUnit: true,
});

const kinds = ['dosing', 'led', 'temperature'] as const;

export const recordsTables: readonly RecordsTable[] = [
  records('dosing_events', ['event', 'source_of_event'], ['volume_change_ml']),
  records('led_change_events', ['channel', 'source_of_event'], ['intensity']),
  ...kinds.map((kind) => records(`${kind}_automation_events`, ['event_name', 'message', 'data'])),
  ...kinds.map(
    (kind): RecordsTable => ({
      ...records(`${kind}_automation_settings`, ['ended_at', 'automation_name', 'settings']),
      time: 'started_at',
    }),
  ),
  records('logs', ['message', 'source', 'level', 'task']),
  { ...records('experiment_profile_runs', ['experiment_profile_name']), time: 'started_at', hasUnit: false },
];

/** Tables of the cluster, read as a whole. The first name that exists counts. */
export const clusterTables = {
  experiments: { names: ['experiments'], columns: ['experiment', 'created_at', 'description'] },
  tags: { names: ['experiment_tags'], columns: ['experiment', 'tag', 'created_at'] },
  workers: { names: ['workers'], columns: ['UNIT', 'added_at', 'model_name', 'model_version'] },
  assignments: {
    names: ['experiment_worker_assignments_history'],
    columns: ['UNIT', 'experiment', 'assigned_at', 'unassigned_at'],
  },
  labels: {
    names: ['pioreactor_unit_labels', 'reactor_unit_labels', 'unit_labels'],
    columns: ['experiment', 'UNIT', 'label', 'created_at'],
  },
} as const;

export const clusterTableNames: readonly string[] = Object.values(clusterTables).flatMap(({ names }) => names);

export type ClusterTable = keyof typeof clusterTables;

/** Stands for what is wrong with a cell of a row. */
export const faultColumn = 'FAULT';

/** Stands for the column of the unit, which has one of these names. */
export const unitColumn = 'UNIT';
export const unitColumns = ['pioreactor_unit', 'reactor_unit'] as const;

/** Why the rows of other tables do not come. */
export const tablesWithoutPlace: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pioreactor_unit_activity_data: 'computed from the other tables, as here',
    reactor_unit_activity_data: 'computed from the other tables, as here',
    experiment_worker_assignments: 'the open rows of experiment_worker_assignments_history',
    config_files_histories: 'the history of the configuration of another program',
    calibrations: 'calibrations come from their files',
  }),
);
