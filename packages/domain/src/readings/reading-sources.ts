import type { ReadingSource as ListedSource } from '@lcs/contract';

/** A table of the stored readings, as people query, chart and export it; for historical reasons it has a name of its own. */
export interface ReadingTable {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The column of the values, and its description. */
  readonly column: string;
  readonly columnTitle: string;
  /** Columns of photodiodes beside the values. */
  readonly channelColumns?: readonly ('angle' | 'channel')[];
}

/** A source of readings: a quantity that jobs record. Everything that stores, shows or checks readings takes it from here. */
export interface ReadingSource {
  /** Shown to people; empty: no unit. */
  readonly unit: string;
  /** Decimals in responses, rounded half away from zero. */
  readonly decimals: number;
  /** Each channel is a line of its own, named `unit-channel`. */
  readonly byChannel: boolean;
  /** The job that records it; absent: none that must run for the last value to be true (volumes of the ledger). */
  readonly job?: string;
  /** A ready job must record it: always, or only after its first reading (not every unit measures it, or not at once). */
  readonly expected?: 'always' | 'after_first';
  readonly table?: ReadingTable;
  /** The column of the wide table of a unit's activity. */
  readonly activity?: { readonly column: string; readonly title: string };
  /** People may choose it for the alarm rule `value_out_of_range`. */
  readonly isAlarmSource?: true;
  /** Order in which a full buffer of a unit is thinned: raw telemetry first; absent: after all others. */
  readonly thinning?: number;
}

const defaults = { unit: '', decimals: 7, byChannel: false } as const;
const perChannel = { ...defaults, byChannel: true } as const;

const od = 'od_reading';
const growth = 'growth_rate_calculating';
const temperature = 'temperature_automation';

const bottle: ReadingSource = { ...defaults, unit: 'mL' };

/** The sources of this program, by their name in records. */
/** One name and one explanation wherever people read of it. */
const altMediaFraction = {
  title: 'Alternative medium (fraction)',
  description:
    'Share of the liquid in the vial that came from the alternative medium: 0 is none of it, 1 is all of it.',
};

export const readingSources = {
  od: {
    ...perChannel,
    unit: 'OD or AU',
    job: od,
    expected: 'always',
    table: {
      name: 'od_readings',
      title: 'Optical density',
      description: 'Optical density of each photodiode, calibrated where there is a calibration.',
      column: 'od_reading',
      columnTitle: 'Optical density: OD when calibrated, otherwise the signal',
      channelColumns: ['angle', 'channel'],
    },
    activity: {
      column: 'od_reading',
      title: 'Optical density; the highest where several photodiodes measured at once',
    },
    isAlarmSource: true,
    thinning: 8,
  },
  od_fused: {
    ...defaults,
    unit: 'OD',
    job: od,
    table: {
      name: 'od_readings_fused',
      title: 'Fused optical density',
      description: 'Optical density fused from several angles.',
      column: 'od_reading',
      columnTitle: 'Optical density',
    },
    activity: { column: 'od_fused', title: 'Optical density fused from several angles' },
    isAlarmSource: true,
    thinning: 12,
  },
  od_filtered: {
    ...defaults,
    unit: 'nOD',
    job: growth,
    expected: 'after_first',
    table: {
      name: 'od_readings_filtered',
      title: 'Normalised optical density',
      description: 'Optical density as a multiple of its start, smoothed.',
      column: 'normalized_od_reading',
      columnTitle: 'Optical density as a multiple of its start',
    },
    activity: { column: 'normalized_od_reading', title: 'Optical density as a multiple of its start' },
    isAlarmSource: true,
    thinning: 10,
  },
  raw_od: {
    ...perChannel,
    unit: 'AU',
    job: od,
    expected: 'always',
    table: {
      name: 'raw_od_readings',
      title: 'Raw optical density',
      description: 'Signal of each photodiode before calibration.',
      column: 'od_reading',
      columnTitle: 'Signal of the photodiode after referencing',
      channelColumns: ['channel'],
    },
    isAlarmSource: true,
    thinning: 2,
  },
  od_conversion: {
    ...perChannel,
    unit: 'V',
    job: od,
    table: {
      name: 'od_conversions',
      title: 'Conversions of the photodiodes',
      description: 'Each conversion of the converter, recorded on request for a limited time.',
      column: 'volts',
      columnTitle: 'Voltage of the photodiode, darkness included',
      channelColumns: ['angle', 'channel'],
    },
    thinning: 1,
  },
  temperature: {
    ...defaults,
    unit: '°C',
    decimals: 2,
    job: temperature,
    expected: 'always',
    table: {
      name: 'temperature_readings',
      title: 'Temperature',
      description: 'Temperature of the liquid in the vial.',
      column: 'temperature_c',
      columnTitle: 'Temperature of the liquid',
    },
    activity: { column: 'temperature_c', title: 'Temperature of the liquid' },
    isAlarmSource: true,
    thinning: 7,
  },
  growth_rate: {
    ...defaults,
    unit: '1/h',
    decimals: 5,
    job: growth,
    expected: 'after_first',
    table: {
      name: 'growth_rates',
      title: 'Growth rate',
      description: 'Growth rate as estimated from optical density.',
      column: 'rate',
      columnTitle: 'Estimated growth rate',
    },
    activity: { column: 'growth_rate', title: 'Estimated growth rate' },
    isAlarmSource: true,
    thinning: 11,
  },
  growth_rate_sd: {
    ...defaults,
    unit: '1/h',
    decimals: 5,
    job: growth,
    table: {
      name: 'growth_rate_deviations',
      title: 'Deviation of the growth rate',
      description: 'How far the estimated growth rate may be from the true one, by the estimator itself.',
      column: 'rate_sd',
      columnTitle: 'Standard deviation of the estimated growth rate',
    },
    thinning: 9,
  },
  stirring_rpm: {
    ...defaults,
    unit: 'RPM',
    job: 'stirring',
    expected: 'after_first',
    table: {
      name: 'stirring_rates',
      title: 'Stirring rate',
      description: 'Measured speed of the stirrer.',
      column: 'measured_rpm',
      columnTitle: 'Measured speed',
    },
    activity: { column: 'measured_rpm', title: 'Measured speed of the stirrer' },
    isAlarmSource: true,
    thinning: 5,
  },
  liquid_volume: {
    ...defaults,
    unit: 'mL',
    table: {
      name: 'liquid_volumes',
      title: 'Liquid volume',
      description: 'Volume in the vial, from the book-keeping of pumps.',
      column: 'liquid_volume',
      columnTitle: 'Volume in the vial',
    },
    isAlarmSource: true,
  },
  alt_media_fraction: {
    ...defaults,
    unit: 'fraction',
    table: {
      name: 'alt_media_fractions',
      ...altMediaFraction,
      column: 'alt_media_fraction',
      columnTitle: altMediaFraction.title,
    },
    isAlarmSource: true,
  },
  heater_duty: { ...defaults, unit: '%', job: temperature, isAlarmSource: true, thinning: 4 },
  pwm_duty: { ...defaults, unit: '%', thinning: 3 },
  supply_voltage: { ...defaults, unit: 'V', job: 'monitor', isAlarmSource: true, thinning: 6 },
  cpu_temperature: { ...defaults, unit: '°C', job: 'monitor', isAlarmSource: true, thinning: 6 },
  disk_free: { ...defaults, unit: 'bytes', job: 'monitor', thinning: 6 },
  ir_led_relative_intensity: {
    ...defaults,
    unit: 'ratio',
    job: od,
    table: {
      name: 'ir_led_intensities',
      title: 'IR LED intensity',
      description: 'Output of the infrared LED relative to its start, as the reference photodiode sees it.',
      column: 'relative_intensity',
      columnTitle: 'Intensity relative to its start',
    },
    isAlarmSource: true,
  },
  od_blank: {
    ...perChannel,
    unit: 'AU',
    table: {
      name: 'od_blanks',
      title: 'Optical density blanks',
      description: 'Signal of the photodiodes before cells were added.',
      column: 'od_reading',
      columnTitle: 'Signal of the vial without cells',
      channelColumns: ['angle', 'channel'],
    },
  },
  media_bottle_left_ml: bottle,
  alt_media_bottle_left_ml: bottle,
  waste_bottle_left_ml: bottle,
} as const satisfies Readonly<Record<string, ReadingSource>>;

export type ReadingSourceName = keyof typeof readingSources;
/** The sources that have a table. */
export type SourceWithTable = {
  [Name in ReadingSourceName]: (typeof readingSources)[Name] extends { readonly table: ReadingTable } ? Name : never;
}[ReadingSourceName];

const byName: ReadonlyMap<string, ReadingSource> = new Map(Object.entries(readingSources));

/** The source of that name; the usual facts for a source of a plugin. */
export const readingSource = (name: string): ReadingSource => byName.get(name) ?? defaults;

/** All sources with their names. */
export const namedSources: readonly (readonly [name: string, source: ReadingSource])[] = [...byName];

/** The sources of this program as the API lists them. */
export const listedSources: readonly ListedSource[] = namedSources.map(
  ([name, { table, activity, unit, decimals, job = null }]) => ({
    name,
    label: table?.title ?? activity?.title ?? name,
    unit,
    decimals,
    job,
  }),
);

/** The job that records a source; undefined: none, or a plugin does. */
export const jobOfSource = (name: string): string | undefined => byName.get(name)?.job;

type SourceOf<Job> = {
  [Name in ReadingSourceName]: (typeof readingSources)[Name] extends { readonly job: Job } ? Name : never;
}[ReadingSourceName];

/** The sources that a job records. */
export const sourcesOf = <const Job extends string>(job: Job): readonly SourceOf<Job>[] =>
  [...byName.keys()].filter((name): name is SourceOf<Job> => byName.get(name)?.job === job);

/** Readings that a job must record as long as it is ready. */
export interface ExpectedReadings {
  /** A reading of any of these sources shows that the job works. */
  readonly sources: readonly string[];
  /** Silence counts only after the first reading. */
  readonly onlyAfterFirst: boolean;
}

/** What a job must record; undefined: nothing. */
export function expectedReadings(job: string): ExpectedReadings | undefined {
  const expected = namedSources.filter(([, source]) => source.job === job && source.expected !== undefined);
  if (expected.length === 0) return undefined;
  return {
    sources: expected.map(([name]) => name),
    onlyAfterFirst: expected.every(([, source]) => source.expected === 'after_first'),
  };
}

/** The name of the table in which any source has a column of its own name: sources of plugins are charted by it. */
export const anySourceTable = 'readings';

/** Whether the text may be the name of a source, of this program or of a plugin. */
export const isSourceName = (text: string): boolean => /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(text);

export const isBuiltInSource = (name: string): boolean => byName.has(name);
