import { type Static, Type } from 'typebox';
import { closed, Nullable, textLimit } from './common.ts';

const ChartKeys = Nullable(
  Type.Array(Type.String({ maxLength: textLimit }), {
    description: 'Ordered, distinct chart keys; [] shows none; null: the configured default',
  }),
);

export const ChartPreferences = closed(
  { overview_chart_keys: ChartKeys, reactor_chart_keys: ChartKeys },
  { title: 'ChartPreferences' },
);
export type ChartPreferences = Static<typeof ChartPreferences>;

export const ChartPreferencesChange = closed(
  { overview_chart_keys: Type.Optional(ChartKeys), reactor_chart_keys: Type.Optional(ChartKeys) },
  { title: 'ChartPreferencesChange' },
);
export type ChartPreferencesChange = Static<typeof ChartPreferencesChange>;

export const ChartDescriptor = closed(
  {
    chart_key: Type.String(),
    data_source: Type.String({ description: 'Name of the time series, or of the table for the generic series route' }),
    title: Type.String(),
    source: Type.String({ description: '`app`, or the plugin that defines it' }),
    y_axis_label: Type.String(),
    fixed_decimals: Type.Integer({ minimum: 0 }),
    down_sample: Type.Boolean(),
    mqtt_topic: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
      description:
        'Live topic below reactor/{unit}/{experiment}/; several when each of several photodiodes has its own; null: nothing is live',
    }),
    lookback: Type.Integer({ minimum: 0, description: 'Hours to load when no window is chosen' }),
    data_source_column: Nullable(Type.String()),
    payload_key: Nullable(
      Type.String({ description: 'Key of the value in a JSON payload; null: the payload is the number' }),
    ),
    y_transformation: Type.String({ description: 'Client-side function of y' }),
    y_axis_domain: Nullable(
      Type.Tuple([Type.Number(), Type.Number()], {
        description: 'The minimal range of the axis. Built-in charts always have it',
      }),
    ),
    interpolation: Type.String(),
  },
  { title: 'ChartDescriptor' },
);
export type ChartDescriptor = Static<typeof ChartDescriptor>;
