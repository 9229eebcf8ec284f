import { type FlaggedSpan, ownValue, type TimeSeries } from '@lcs/contract';
import { flagDescriptions, readingSources, type SourceWithTable, seriesColumn } from '@lcs/domain';
import { type Command, InvalidArgumentError } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { currentExperiment, expectKnownNames } from '../current-experiment.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { plot } from '../terminal/plot.ts';

interface SeriesOptions extends ConnectionOptions {
  readonly experiment?: string;
  readonly unit?: string;
  readonly hours: number;
  readonly points: number;
}

/** Short names of sources. */
const sources: Readonly<Record<string, SourceWithTable>> = {
  od: 'od',
  'raw-od': 'raw_od',
  'filtered-od': 'od_filtered',
  'fused-od': 'od_fused',
  'growth-rate': 'growth_rate',
  temperature: 'temperature',
};

const names = Object.keys(sources).join(', ');

interface Source {
  /** As typed. */
  readonly name: string;
  readonly data_source: string;
  readonly column: string;
}

function sourceOf(name: string): Source {
  const known = ownValue(sources, name);
  if (known !== undefined) {
    const { table } = readingSources[known];
    return { name, data_source: table.name, column: table.column };
  }
  const [data_source, column, ...rest] = name.split('/');
  if (!data_source || !column || rest.length > 0) {
    throw new InvalidArgumentError(`Enter one of ${names}, or any <data source>/<column>.`);
  }
  return { name, data_source, column };
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Enter a number above 0.');
  return value;
}

/** Longest lookback of a request for flags, in hours. */
const mostFlagHours = 876_000;

const ofUnit = (unit: string | undefined) => (unit === undefined ? {} : { reactor_unit: unit });

/** Rows that a plot of one line takes, and columns of dots. */
const plotSize = { columns: 72, rows: 6 };

const isOfLine = ({ reactor_unit, channel }: FlaggedSpan, label: string): boolean =>
  label === (channel === null ? reactor_unit : `${reactor_unit}-${channel}`);

/** The flags of the plotted readings, each with the number of readings that have it. */
function flagLines(labels: readonly string[], flags: readonly FlaggedSpan[]): readonly string[] {
  const counts = new Map<FlaggedSpan['flag'], Map<string, number>>();
  for (const label of labels) {
    for (const { flag, samples } of flags.filter((span) => isOfLine(span, label))) {
      const ofFlag = counts.get(flag) ?? new Map<string, number>();
      counts.set(flag, ofFlag.set(label, (ofFlag.get(label) ?? 0) + samples));
    }
  }
  return [...counts].map(([flag, ofFlag]) => {
    const lines = [...ofFlag].map(([label, samples]) => `${label}, ${samples} reading${samples === 1 ? '' : 's'}`);
    return `! ${flagDescriptions[flag].title} (${lines.map(printable).join('; ')}): ${flagDescriptions[flag].meaning}`;
  });
}

type FlaggedSeries = TimeSeries & { readonly flags: readonly FlaggedSpan[] };

function show(io: ProgramIo, { series, data, flags }: FlaggedSeries, what: string): void {
  const lines = series.map((label, index) => ({
    label: printable(label),
    points: (data[index] ?? []).map(({ x, y }) => [Date.parse(x), y] as const),
    marked: flags
      .filter((span) => isOfLine(span, label))
      .map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const),
  }));
  const drawn = plot(lines, plotSize);
  if (drawn.length === 0) {
    io.stdout.write(`No ${what} in this time. Choose more hours: --hours 24\n`);
    return;
  }
  for (const row of drawn) io.stdout.write(`${row}\n`);
  const moments = data.flatMap((points) => [points[0]?.x, points.at(-1)?.x]).filter((x) => x !== undefined);
  moments.sort();
  io.stdout.write(`from ${moments[0]} to ${moments.at(-1)}\n`);
  for (const line of flagLines(series, flags)) io.stdout.write(`${line}\n`);
}

/** `lcs series`: readings as a plot in the terminal, or as JSON. */
export function addSeriesCommand(program: Command, io: ProgramIo): void {
  withConnection(program.command('series').description('readings of an experiment, plotted'), io)
    .argument('<source>', `${names}, or <data source>/<column>`, sourceOf)
    .option('--experiment <name>', 'which experiment; default: the newest with units')
    .option('--unit <unit>', 'only this unit')
    .option('--hours <hours>', 'how far back', positive, 4)
    .option('--points <n>', 'maximum number of points of each series', positive, 720)
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
      const source = seriesColumn(data_source, column)?.source;
      if (answer.series.length === 0) await expectKnownNames(leader, { ...options, experiment });
      const flags =
        answer.series.length === 0 || source === undefined
          ? []
          : await leader.listSampleFlags({
              params: { experiment },
              query: { lookback: Math.min(options.hours, mostFlagHours), source, ...ofUnit(options.unit) },
            });
      if (options.json) return printJson(io, { ...answer, flags });
      show(io, { ...answer, flags }, name);
    });
}
