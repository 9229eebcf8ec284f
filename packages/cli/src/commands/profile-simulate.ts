import {
  type AcceptedTask,
  ProfileRehearsal,
  type RehearsedCulture,
  type SimulateProfile,
  taskResult,
  waitForTask,
} from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { readText } from './profile-files.ts';

interface SimulateOptions extends ConnectionOptions {
  readonly experiment?: string;
  readonly hours?: number;
  readonly draws?: number;
  readonly seed?: number;
  readonly organism?: string;
  readonly growthRate?: number;
  readonly initialOd?: number;
  readonly like?: string;
  readonly bottle?: number;
}

const positive = (text: string): number => {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('Enter a number above 0.');
  return number;
};

/** A rehearsal that nobody waits for is not computed to its end. */
async function ended(io: ProgramIo, leader: Connected, accepted: AcceptedTask) {
  const clock = realClock();
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGPIPE'] as const) io.onSignal(signal, () => ending.abort());
  const { task_id } = accepted;
  const sleep = async (ms: number, signal?: AbortSignal) => {
    await clock.sleep(ms, signal);
    if (io.stderr.isTTY !== true) return;
    const task = await leader.getTaskResult({ params: { task_id } });
    if ('progress' in task && task.progress !== null)
      io.stderr.write(`\r${(100 * task.progress).toFixed(0).padStart(3)} % of ${task.message ?? 'the rehearsal'} `);
  };
  try {
    const { headers, send: fetch, baseUrl } = leader;
    return await waitForTask(baseUrl, accepted, { sleep, headers, fetch, signal: ending.signal });
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    await leader.cancelTask({ params: { task_id } });
    throw new CommandFailure({
      error: 'The rehearsal was cancelled.',
      cause: 'This command was interrupted.',
      remediation: 'Nothing was started or changed. Run the command again for the whole rehearsal.',
    });
  } finally {
    if (io.stderr.isTTY === true) io.stderr.write('\r\u001b[K');
  }
}

function cultureOf({ organism, growthRate, initialOd, like }: SimulateOptions): RehearsedCulture {
  return {
    ...(organism !== undefined && { organism }),
    ...(growthRate !== undefined && { growth_rate: growthRate }),
    ...(initialOd !== undefined && { initial_od: initialOd }),
    ...(like !== undefined && { from_experiment: like }),
  };
}

function requestOf(body: string, options: SimulateOptions): SimulateProfile {
  const { experiment, hours, draws, seed, bottle } = options;
  return {
    body,
    culture: cultureOf(options),
    ...(experiment !== undefined && { experiment }),
    ...(hours !== undefined && { hours }),
    ...(draws !== undefined && { draws }),
    ...(seed !== undefined && { seed }),
    ...(bottle !== undefined && { bottle_ml: bottle }),
  };
}

const shownNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? '' : String(Number(value.toPrecision(3)));

const answers = {
  yes: 'The run can finish: it reached its last action in all draws.',
  no: 'The run cannot finish like this.',
  uncertain: 'It is uncertain whether the run can finish.',
} as const;

const shareText = (share: number): string => `${Math.round(100 * share)} %`;

type Rows = readonly (readonly string[])[];

/** What a unit ends with. */
const endRows = ({ series }: ProfileRehearsal['units'][number]): Rows =>
  series.map(({ name, unit, median, low, high }) => {
    const last = median.findLastIndex((value) => value !== null);
    const [middle, from, to] = [median, low, high].map((values) => shownNumber(values[last]));
    return [name, unit, middle ?? '', `${from} to ${to}`];
  });

type Condition = ProfileRehearsal['units'][number]['conditions'][number];

const conditionRow = ({ path, iteration, share, low_h, median_h, high_h }: Condition): readonly string[] => [
  iteration === 0 ? path : `${path} #${iteration + 1}`,
  shownNumber(median_h),
  `${shownNumber(low_h)} to ${shownNumber(high_h)}`,
  shareText(share),
];

/** Units with the same rows together: alike units share their vials. */
function sameOfUnits(all: readonly { readonly unit: string | null; readonly rows: Rows }[]) {
  const groups = new Map<string, { readonly names: string[]; readonly rows: Rows }>();
  for (const { unit, rows } of all) {
    const key = JSON.stringify(rows);
    const group = groups.get(key) ?? { names: [], rows };
    if (unit !== null) group.names.push(unit);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ names, rows }) => ({ units: names.join(', '), rows }));
}

const withUnits = ({ units, rows }: { readonly units: string; readonly rows: Rows }): Rows =>
  rows.map((row) => [units, ...row]);

function showRehearsal(io: ProgramIo, rehearsal: ProfileRehearsal): void {
  const { can_finish, findings, units, simulated_hours, draws, computed_in_s } = rehearsal;
  io.stdout.write(`${answers[can_finish]}\n`);
  const sentences = findings.map(({ severity, reactor_unit, message, at_h, share }) => {
    const when = at_h === null ? '' : ` after ${shownNumber(at_h)} h`;
    const often = severity === 'info' ? '' : ` (${shareText(share)} of the draws)`;
    return { unit: reactor_unit, rows: [[severity, `${when}${often}: ${message}`]] };
  });
  for (const { units: where, rows } of sameOfUnits(sentences))
    for (const [severity, text] of rows) io.stdout.write(`  ${printable(`${severity} ${where}${text}`)}\n`);
  const conditions = sameOfUnits(
    units.map(({ reactor_unit, conditions: own }) => ({ unit: reactor_unit, rows: own.map(conditionRow) })),
  ).flatMap(withUnits);
  if (conditions.length > 0) {
    io.stdout.write('\n');
    printTable(io, ['UNIT', 'CONDITION', 'AFTER H', '80 % OF DRAWS', 'SHARE'], conditions);
  }
  const ends = sameOfUnits(units.map((unit) => ({ unit: unit.reactor_unit, rows: endRows(unit) }))).flatMap(withUnits);
  io.stdout.write('\n');
  printTable(io, ['UNIT', 'QUANTITY', 'IN', 'AT THE END', '80 % OF DRAWS'], ends);
  io.stdout.write(
    `\n${shownNumber(simulated_hours)} h, ${draws} vials, computed in ${computed_in_s.toFixed(1)} s. The curves: --json.\n`,
  );
}

/** `lcs profiles simulate`: a file of this computer on simulated vials. */
export function addSimulate(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('simulate').description('rehearse a file on simulated vials'), io)
    .argument('<file>', 'a YAML file on this computer')
    .option('--experiment <name>', 'for the units of this experiment')
    .option('--hours <number>', 'simulated time', positive)
    .option('--draws <number>', 'vials for the bands, 1 to 200', positive)
    .option('--seed <number>', 'another random course', positive)
    .option('--organism <name>', 'ecoli_glucose, ecoli_lb or yeast')
    .option('--growth-rate <number>', 'maximum growth rate of the culture, 1/h', positive)
    .option('--initial-od <number>', 'OD at the start', positive)
    .option('--like <experiment>', 'fit the culture to this past experiment')
    .option('--bottle <ml>', 'medium in each bottle', positive)
    .action(async (file: string, options: SimulateOptions) => {
      const leader = connect(options);
      const request = requestOf(await readText(file), options);
      const accepted = await leader.simulateExperimentProfile({ body: request });
      const rehearsal = taskResult(await ended(io, leader, accepted), ProfileRehearsal);
      if (options.json) printJson(io, rehearsal);
      else showRehearsal(io, rehearsal);
    });
}
