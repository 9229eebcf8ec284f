import { Type } from 'typebox';
import { ReadingSource, TimeSeries, TimeSeriesQuery } from '../resources/time-series.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { ok } from './answers.ts';

const read = {
  method: 'GET',
  description:
    'Readings of the window `until - lookback < x <= until`; without `until` it ends now. All of them where they fit; otherwise 1 point is the newest, 2 and 3 are the ends, and from 4 on the ends and the lowest and highest readings of equal time intervals. A series without a reading in the window is absent; an unknown experiment or unit has none. `x-target-points` contains the applied number of points, which is smaller than the requested one where the answer would exceed 64 MiB. With `if-none-match` the answer is 304 while nothing has changed.',
  tag: 'Time series',
  permission: 'experiments.read',
  query: TimeSeriesQuery,
  responses: ok(TimeSeries),
  errors: [],
  cache: 'no-cache',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const anyColumn = { errors: ['data_source_unknown'] } as const;

export const timeSeriesRoutes = routes({
  getGrowthRates: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/growth_rates',
    summary: 'Growth rates of all units of an experiment, per hour',
  },
  getTemperatureReadings: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/temperature_readings',
    summary: 'Temperatures of all units of an experiment, °C',
  },
  getFilteredOdReadings: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/od_readings_filtered',
    summary: 'Optical densities of all units as multiples of their start',
  },
  getOdReadings: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/od_readings',
    summary: 'Optical densities of all units, a series for each photodiode',
  },
  getFusedOdReadings: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/od_readings_fused',
    summary: 'Optical densities of all units, fused from several angles',
  },
  getRawOdReadings: {
    ...read,
    path: '/api/experiments/{experiment}/time_series/raw_od_readings',
    summary: 'Photodiode signals of all units before calibration, a series for each photodiode',
  },
  getTimeSeries: {
    ...read,
    ...anyColumn,
    path: '/api/experiments/{experiment}/time_series/{data_source}/{column}',
    summary: 'Any numeric column of a data source, for all units of an experiment',
  },
  getWorkerGrowthRates: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/growth_rates',
    summary: 'Growth rates of one unit, per hour',
  },
  getWorkerTemperatureReadings: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/temperature_readings',
    summary: 'Temperatures of one unit, °C',
  },
  getWorkerFilteredOdReadings: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/od_readings_filtered',
    summary: 'Optical density of one unit as a multiple of its start',
  },
  getWorkerOdReadings: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/od_readings',
    summary: 'Optical densities of one unit, a series for each photodiode',
  },
  getWorkerFusedOdReadings: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/od_readings_fused',
    summary: 'Optical densities of one unit, fused from several angles',
    origin: 'extension',
  },
  getWorkerRawOdReadings: {
    ...read,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/raw_od_readings',
    summary: 'Photodiode signals of one unit before calibration',
  },
  getWorkerTimeSeries: {
    ...read,
    ...anyColumn,
    path: '/api/workers/{reactor_unit}/experiments/{experiment}/time_series/{data_source}/{column}',
    summary: 'Any numeric column of a data source, for one unit',
  },
  listReadingSources: {
    method: 'GET',
    path: '/api/reading_sources',
    summary: 'The quantities that jobs record, with unit, decimals and job',
    description: 'Also those that plugins of the leader declare; an undeclared source has 7 decimals and no unit.',
    tag: 'Time series',
    permission: 'experiments.read',
    responses: ok(Type.Array(ReadingSource)),
    errors: [],
    cache: 60,
    origin: 'extension',
  },
});
