import {
  type GrowthComparison,
  type GrowthEstimate,
  type GrowthGroup,
  type GrowthSource,
  type GrowthSummary,
  type GrowthTest,
  ProblemError,
  waitForTask,
} from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { currentExperiment } from '../current-experiment.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface GrowthOptions extends ConnectionOptions {
  readonly source: GrowthSource;
  readonly from?: string;
  readonly to?: string;
  readonly window?: number;
  readonly leastOd?: number;
}

interface CompareOptions extends GrowthOptions {
  readonly align: 'start' | 'first_dilution' | 'od';
  readonly od?: number;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Enter a number.');
  return value;
}

const sources = ['od', 'raw_od', 'od_fused', 'od_filtered'];

const withGrowthOptions = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io)
    .addOption(new Option('--source <source>', 'which readings').choices(sources).default('od'))
    .option('--from <moment>', 'oldest reading, like 2026-05-02T09:00:00+02:00')
    .option('--to <moment>', 'newest reading')
    .option('--window <hours>', 'window of the log-linear fit', number)
    .option('--least-od <od>', 'leave out readings of this OD or less', number);

const queryOf = ({ source, from, to, window, leastOd }: GrowthOptions) => ({
  source,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(window !== undefined && { window_h: window }),
  ...(leastOd !== undefined && { least_od: leastOd }),
});

/** Repeats a request after the task that computes its growth curves. */
async function whenComputed<Answer>(
  leader: Connected,
  experiments: readonly string[],
  query: ReturnType<typeof queryOf>,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.body.code !== 'growth_summary_not_ready') throw error;
  }
  for (const experiment of experiments) {
    const accepted = await leader.computeGrowthSummary({ params: { experiment }, query });
    const { baseUrl, headers, send: fetch } = leader;
    const clock = realClock();
    const ended = await waitForTask(baseUrl, accepted, { sleep: (ms) => clock.sleep(ms), headers, fetch });
    if (ended.status === 'failed') {
      const { error, cause, remediation } = ended;
      throw new CommandFailure({ error, cause, remediation });
    }
  }
  return request();
}

const digits = (value: number | null | undefined): string =>
  value == null ? '–' : String(Number(value.toPrecision(4)));

const withInterval = (estimate: GrowthEstimate | null): string =>
  estimate === null ? '–' : `${digits(estimate.value)} (${digits(estimate.lower)} to ${digits(estimate.upper)})`;

function showUnits(io: ProgramIo, { units }: GrowthSummary): void {
  printTable(
    io,
    ['UNIT', 'GROUP', 'FIT', 'µMAX 1/h (95 %)', 'LAG h (95 %)', 'K OD (95 %)', 'DOUBLING h', 'GENERATIONS'],
    units.flatMap(({ reactor_unit, group, generations, fits }) =>
      fits.map((fit, index) => [
        ...(index === 0 ? [reactor_unit, group ?? ''] : ['', '']),
        fit.fit,
        fit.failure ?? withInterval(fit.mu_max),
        withInterval(fit.lag_h),
        withInterval(fit.carrying_capacity),
        digits(fit.doubling_time_h?.value),
        index === 0 ? digits(generations) : '',
      ]),
    ),
  );
}

function showGroups(io: ProgramIo, groups: readonly GrowthGroup[], tests: readonly GrowthTest[]): void {
  if (groups.length === 0) return;
  io.stdout.write('\n');
  printTable(
    io,
    ['GROUP', 'QUANTITY', 'FIT', 'N', 'MEAN', 'SD', '95 % OF THE MEAN'],
    groups.flatMap(({ name, statistics }) =>
      statistics.map(({ quantity, fit, n, mean, sd, lower, upper }) => [
        ...[name, quantity, fit ?? '', String(n), digits(mean), digits(sd)],
        lower === null ? '–' : `${digits(lower)} to ${digits(upper)}`,
      ]),
    ),
  );
  if (tests.length === 0) return;
  io.stdout.write('\n');
  printTable(
    io,
    ['TEST', 'QUANTITY', 'FIT', 'GROUPS', 'STATISTIC', 'DF', 'P', 'P ADJUSTED'],
    tests.map(({ test, quantity, fit, groups: names, statistic, df, p, p_adjusted }) => [
      ...[test, quantity, fit ?? '', names.join(', '), digits(statistic), df.map(digits).join(', '), digits(p)],
      digits(p_adjusted),
    ]),
  );
}

/** Why numbers of the table are not known, or not of the whole run. */
function showReasons(io: ProgramIo, { units }: GrowthSummary): void {
  const reasons = new Map<string, Set<string>>();
  const add = (reason: string, unit: string) => reasons.set(reason, (reasons.get(reason) ?? new Set()).add(unit));
  for (const { reactor_unit: unit, generations_from_h: fromH, fits } of units) {
    for (const { missing } of fits)
      for (const [number, reason] of Object.entries(missing))
        if (reason !== 'not_of_this_fit') add(`no ${number}: ${reason}`, unit);
    if (fromH !== null && fromH > 0) add(`generations counted from ${digits(fromH)} h on`, unit);
  }
  if (reasons.size > 0) io.stdout.write('\n');
  for (const [reason, of] of reasons) io.stdout.write(`${[...of].join(', ')}: ${reason}\n`);
}

/** Calibrations that changed make a step in the curve, which a table does not show. */
function warnOfCalibrations(io: ProgramIo, { units }: GrowthSummary): void {
  for (const { reactor_unit, calibrations } of units)
    if (calibrations.length > 1)
      io.stderr.write(
        `${reactor_unit}: the calibration changed during the readings; its curve has a step. Choose a time with --from or --to.\n`,
      );
}

function showProvenance(io: ProgramIo, answer: GrowthSummary | GrowthComparison): void {
  const { source, software_version, method_version, fits, window_h } = answer;
  io.stdout.write(
    `\nReadings: ${source}. Window: ${window_h} h. Version ${software_version}, methods ${method_version}.\n`,
  );
  for (const { title, reference } of fits) io.stdout.write(`${title}: ${reference}\n`);
}

function addSummary(parent: Command, io: ProgramIo): void {
  withGrowthOptions(
    parent.command('summary').description('growth rate, lag, capacity and generations of each unit'),
    io,
  )
    .argument('[experiment]', 'which experiment; default: the newest with units')
    .action(async (named: string | undefined, options: GrowthOptions) => {
      const leader = connect(options);
      const experiment = await currentExperiment(leader, named);
      const query = queryOf(options);
      const summary = await whenComputed(leader, [experiment], query, () =>
        leader.getGrowthSummary({ params: { experiment }, query }),
      );
      if (options.json) return printJson(io, summary);
      if (summary.units.length === 0) {
        io.stdout.write(`${experiment} has no readings of ${summary.source} in this time.\n`);
        return;
      }
      showUnits(io, summary);
      showReasons(io, summary);
      showGroups(io, summary.groups, summary.tests);
      showProvenance(io, summary);
      warnOfCalibrations(io, summary);
    });
}

function addCompare(parent: Command, io: ProgramIo): void {
  withGrowthOptions(parent.command('compare').description('growth curves of experiments, aligned'), io)
    .argument('<experiments...>', 'names of experiments')
    .addOption(
      new Option('--align <on>', 'hour 0 of each curve').choices(['start', 'first_dilution', 'od']).default('start'),
    )
    .option('--od <od>', 'the OD to align on', number)
    .action(async (experiments: readonly string[], options: CompareOptions) => {
      const leader = connect(options);
      const query = queryOf(options);
      const { align, od } = options;
      const compared = await whenComputed(leader, experiments, query, () =>
        leader.compareGrowth({
          query: { ...query, experiments: [...experiments], align, ...(od !== undefined && { od }) },
        }),
      );
      if (options.json) return printJson(io, compared);
      printTable(
        io,
        ['EXPERIMENT', 'UNIT', 'GROUP', 'HOUR 0', 'TO h', 'LAST OD'],
        compared.experiments.flatMap(({ experiment, curves }) =>
          curves.map(({ reactor_unit, group, zero_at, failure, hours, od: ods }) => [
            ...[experiment, reactor_unit, group ?? '', failure ?? zero_at ?? '–'],
            ...[digits(hours.at(-1)), digits(ods.at(-1))],
          ]),
        ),
      );
      showGroups(io, compared.groups, compared.tests);
      showProvenance(io, compared);
    });
}

/** `lcs growth`: growth curves for publications. */
export function addGrowthCommands(program: Command, io: ProgramIo): void {
  const growth = program.command('growth').description('growth curves of experiments, for publications');
  addSummary(growth, io);
  addCompare(growth, io);
}
