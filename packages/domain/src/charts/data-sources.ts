import { anySourceTable, isSourceName, namedSources } from '../readings/reading-sources.ts';

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

/** The origin of a column of a data source. */
export interface SeriesColumn {
  /** A source of docs/interfaces/store.md#sources-of-series, or `eventSource` of an event's name. */
  readonly source: string;
  /** Only this channel. */
  readonly channel?: string;
  readonly event?: EventColumn;
}

type Columns = Readonly<Record<string, SeriesColumn>>;

/** The name that distinguishes values of events from those of samples. */
export const eventSource = (name: string): string => `event:${name}`;

const ofEvent = (event: EventColumn): SeriesColumn => ({ source: eventSource(event.name), event });

const dosed = (event: string): SeriesColumn =>
  ofEvent({ name: 'dosing', value: 'volume_change_ml', only: { key: 'event', is: event } });

const lit = (channel: string): SeriesColumn =>
  ofEvent({ name: 'led_change', value: 'intensity', only: { key: 'channel', is: channel } });

/** Numeric columns of the tables of the sources, by table. */
const ofTables = Object.fromEntries(
  namedSources.flatMap(([source, { table }]) =>
    table === undefined ? [] : [[table.name, { [table.column]: { source } }]],
  ),
);

/** Numeric columns that can be charted, by the names of the classic views. */
const columns: Readonly<Record<string, Columns>> = {
  ...ofTables,
  growth_rates: { ...ofTables.growth_rates, rate_sd: { source: 'growth_rate_sd' } },
  pwm_dcs: Object.fromEntries(
    ['1', '2', '3', '4', '5'].map((channel) => [`channel_${channel}`, { source: 'pwm_duty', channel }]),
  ),
  dosing_events: { volume_change_ml: ofEvent({ name: 'dosing', value: 'volume_change_ml' }) },
  led_change_events: { intensity: ofEvent({ name: 'led_change', value: 'intensity', splitBy: 'channel' }) },
  reactor_unit_activity_data: {
    ...Object.fromEntries(
      namedSources.flatMap(([source, { activity }]) => (activity === undefined ? [] : [[activity.column, { source }]])),
    ),
    led_a_intensity_update: lit('A'),
    led_b_intensity_update: lit('B'),
    led_c_intensity_update: lit('C'),
    led_d_intensity_update: lit('D'),
    add_media_ml: dosed('add_media'),
    remove_waste_ml: dosed('remove_waste'),
    add_alt_media_ml: dosed('add_alt_media'),
  },
};

/** The origin of `dataSource.column`; undefined when it must not be charted as a number. */
export function seriesColumn(dataSource: string, column: string): SeriesColumn | undefined {
  if (dataSource === anySourceTable) return isSourceName(column) ? { source: column } : undefined;
  const ofSource = Object.hasOwn(columns, dataSource) ? columns[dataSource] : undefined;
  return ofSource && Object.hasOwn(ofSource, column) ? ofSource[column] : undefined;
}

/** All names, as `data_source.column`. */
export const seriesColumnNames = (): string[] =>
  Object.entries(columns).flatMap(([dataSource, ofSource]) =>
    Object.keys(ofSource).map((column) => `${dataSource}.${column}`),
  );
