import type { TimeSeries } from '@lcs/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { currentExperiment, mustBeKnown } from '../current-experiment.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { plot } from '../terminal/plot.ts';

interface SeriesOptions extends ConnectionOptions {
  readonly experiment?: string;
  readonly unit?: string;
  readonly hours: number;
  readonly points: number;
}

const sources = {
  od: ['od_readings', 'od_reading'],
  'raw-od': ['raw_od_readings', 'od_reading'],
  'filtered-od': ['od_readings_filtered', 'normalized_od_reading'],
  'fused-od': ['od_readings_fused', 'od_reading'],
  'growth-rate': ['growth_rates', 'rate'],
  temperature: ['temperature_readings', 'temperature_c'],
} as const satisfies Record<string, readonly [source: string, column: string]>;

const names = Object.keys(sources).join(', ');

interface Source {
  /** As it was typed. */
  readonly name: string;
  readonly data_source: string;
  readonly column: string;
}

function sourceOf(name: string): Source {
  const known = Object.entries(sources).find(([short]) => short === name)?.[1];
  const [data_source, column, ...rest] = known ?? name.split('/');
  if (!data_source || !column || rest.length > 0) {
    throw new InvalidArgumentError(`one of ${names}, or any <data source>/<column>.`);
  }
  return { name, data_source, column };
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('a number above 0.');
  return value;
}

/** Rows that a plot of one line takes, and columns of dots. */
const plotSize = { columns: 72, rows: 6 };

function show(io: ProgramIo, { series, data }: TimeSeries, what: string): void {
  const lines = series.map((label, index) => ({
    label: printable(label),
    points: (data[index] ?? []).map(({ x, y }) => [Date.parse(x), y] as const),
  }));
  const drawn = plot(lines, plotSize);
  if (drawn.length === 0) {
    io.stdout.write(`No ${what} in this time. Ask for more hours: --hours 24\n`);
    return;
  }
  for (const row of drawn) io.stdout.write(`${row}\n`);
  const moments = data.flatMap((points) => [points[0]?.x, points.at(-1)?.x]).filter((x) => x !== undefined);
  moments.sort();
  io.stdout.write(`from ${moments[0]} to ${moments.at(-1)}\n`);
}

/** `lcs series`: readings as a plot in the terminal, or as JSON. */
export function addSeriesCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('series').description('readings of an experiment, plotted'), io)
    .argument('<source>', `${names}, or <data source>/<column>`, sourceOf)
    .option('--experiment <name>', 'which experiment; default: the newest')
    .option('--unit <unit>', 'only this unit')
    .option('--hours <hours>', 'how far back', positive, 4)
    .option('--points <n>', 'most points of each series', positive, 720)
    .action(async ({ name, data_source, column }: Source, options: SeriesOptions) => {
      const leader = connect(options);
      const experiment = await currentExperiment(leader, options.experiment);
      const query = { lookback: options.hours, target_points: Math.round(options.points) };
      const answer =
        options.unit === undefined
          ? await leader.getTimeSeries({ params: { experiment, data_source, column }, query })
          : await leader.getWorkerTimeSeries({
              params: { reactor_unit: options.unit, experiment, data_source, column },
              query,
            });
      if (answer.series.length === 0) await mustBeKnown(leader, { ...options, experiment });
      if (options.json) return printJson(io, answer);
      show(io, answer, name);
    });
}
