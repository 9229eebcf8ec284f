/** A number in the data of events. */
export interface EventColumn {
  /** Of the event. */
  readonly name: string;
  /** Key of the number in its data. */
  readonly value: string;
  /** Only events whose data have this value under this key. */
  readonly only?: { readonly key: string; readonly is: string };
  /** Key that splits a unit's events into lines named `unit-value`. */
  readonly splitBy?: string;
}

/** What a column of a data source is read from. */
export interface SeriesColumn {
  /** A word of docs/interfaces.md 6.1, or `eventSource` of an event's name. */
  readonly source: string;
  /** Only this channel. */
  readonly channel?: string;
  readonly event?: EventColumn;
}

type Columns = Readonly<Record<string, SeriesColumn>>;

/** The word under which values of events are kept apart from those of samples. */
export const eventSource = (name: string): string => `event:${name}`;

const ofEvent = (event: EventColumn): SeriesColumn => ({ source: eventSource(event.name), event });

const dosed = (event: string): SeriesColumn =>
  ofEvent({ name: 'dosing', value: 'volume_change_ml', only: { key: 'event', is: event } });

const lit = (channel: string): SeriesColumn =>
  ofEvent({ name: 'led_change', value: 'intensity', only: { key: 'channel', is: channel } });

/** Numeric columns that can be charted, by the names of the classic views. */
const columns: Readonly<Record<string, Columns>> = {
  growth_rates: { rate: { source: 'growth_rate' }, rate_sd: { source: 'growth_rate_sd' } },
  temperature_readings: { temperature_c: { source: 'temperature' } },
  od_readings_filtered: { normalized_od_reading: { source: 'od_filtered' } },
  od_readings: { od_reading: { source: 'od' } },
  od_readings_fused: { od_reading: { source: 'od_fused' } },
  raw_od_readings: { od_reading: { source: 'raw_od' } },
  od_blanks: { od_reading: { source: 'od_blank' } },
  stirring_rates: { measured_rpm: { source: 'stirring_rpm' } },
  alt_media_fractions: { alt_media_fraction: { source: 'alt_media_fraction' } },
  liquid_volumes: { liquid_volume: { source: 'liquid_volume' } },
  ir_led_intensities: { relative_intensity: { source: 'ir_led_relative_intensity' } },
  pwm_dcs: Object.fromEntries(
    ['1', '2', '3', '4', '5'].map((channel) => [`channel_${channel}`, { source: 'pwm_duty', channel }]),
  ),
  dosing_events: { volume_change_ml: ofEvent({ name: 'dosing', value: 'volume_change_ml' }) },
  led_change_events: { intensity: ofEvent({ name: 'led_change', value: 'intensity', splitBy: 'channel' }) },
  reactor_unit_activity_data: {
    od_reading: { source: 'od' },
    od_fused: { source: 'od_fused' },
    normalized_od_reading: { source: 'od_filtered' },
    temperature_c: { source: 'temperature' },
    growth_rate: { source: 'growth_rate' },
    measured_rpm: { source: 'stirring_rpm' },
    led_a_intensity_update: lit('A'),
    led_b_intensity_update: lit('B'),
    led_c_intensity_update: lit('C'),
    led_d_intensity_update: lit('D'),
    add_media_ml: dosed('add_media'),
    remove_waste_ml: dosed('remove_waste'),
    add_alt_media_ml: dosed('add_alt_media'),
  },
};

/** What `dataSource.column` is read from; undefined when it is no numeric column of a data source. */
export function seriesColumn(dataSource: string, column: string): SeriesColumn | undefined {
  const ofSource = Object.hasOwn(columns, dataSource) ? columns[dataSource] : undefined;
  return ofSource && Object.hasOwn(ofSource, column) ? ofSource[column] : undefined;
}

/** All names, as `data_source.column`. */
export const seriesColumnNames = (): string[] =>
  Object.entries(columns).flatMap(([dataSource, ofSource]) =>
    Object.keys(ofSource).map((column) => `${dataSource}.${column}`),
  );
