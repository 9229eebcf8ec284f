import {
  Capability,
  type JobWarning,
  type RunJob,
  RunningJob,
  StartedJob,
  type StopEverywhere,
  StoppedJobs,
  sourceWithoutAccount,
  UpdatedJobSettings,
} from '@lcs/contract';
import { jobTitle, jobTitles, nameHint } from '@lcs/domain';
import { type Command, InvalidArgumentError } from 'commander';
import { Type } from 'typebox';
import { askToConfirm, confirmDilution } from '../confirm-dilution.ts';
import { type Connected, type ConnectionOptions, connect, nodeSocketIn, withConnection } from '../connect.ts';
import { allUnits } from '../current-experiment.ts';
import { type JobNameOf, jobNames } from '../job-names.ts';
import { type JobTarget, ofTargets, targetOf, targetsOf } from '../job-targets.ts';
import { type Outcomes, outcomesOf, reportOutcomes, reportTable, resultOf } from '../outcomes.ts';
import { printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface TargetOptions extends ConnectionOptions {
  readonly unit: readonly string[];
  readonly experiment?: string;
}

const unitOption = [
  '--unit <unit>',
  'which unit; may be repeated; all: every active unit of the experiment',
  (unit: string, before: readonly string[] = []) => [...new Set([...before, unit === 'all' ? allUnits : unit])],
] as const;
const experimentOption = ['--experiment <name>', 'default: the one the unit belongs to'] as const;

const withTarget = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io)
    .requiredOption(...unitOption)
    .option(...experimentOption);

/** Adds an option `name=value`. */
function parseOption(
  text: string,
  before: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('Enter name=value.');
  const name = text.slice(0, at);
  if (before.some(([known]) => known === name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return [...before, [name, text.slice(at + 1)]];
}

function parseOverride(text: string, before: readonly (readonly [string, string, string])[]) {
  const match = /^([^=]+)\.([^.=]+)=(.*)$/s.exec(text);
  if (!match) throw new InvalidArgumentError('Enter section.key=value.');
  const [, section = '', key = '', value = ''] = match;
  return [...before, [section, key, value] as const];
}

/** A value as a person types it: a number where it is one, true and false, else text. */
export function parseValue(text: string): number | boolean | string | null {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return text === 'null' ? null : text;
}

/** The names of the jobs of all answers. */
const namesFor = <Value>(
  leader: Connected,
  outcomes: Outcomes<Value>,
  jobsOf: (value: Value) => readonly string[],
): Promise<JobNameOf> =>
  jobNames(
    leader,
    Object.values(outcomes).flatMap((outcome) => (outcome.ok ? jobsOf(outcome.value) : [])),
  );

const warningLines = ({ warnings = [] }: { readonly warnings?: readonly JobWarning[] }): readonly string[] =>
  warnings.map(({ message }) => `Warning: ${message}`);

/** `lcs jobs`: running jobs with unit and start time. */
function addJobs(program: Command, io: ProgramIo): void {
  withConnection(
    program.command('jobs').description('the running jobs; --json has the identifiers that run, stop and set take'),
    io,
  )
    .option('--unit <unit>', 'only this unit', allUnits)
    .action(async (options: ConnectionOptions & { unit: string }) => {
      const leader = connect(options);
      const accepted = await leader.listUnitRunningJobs({ params: { reactor_unit: options.unit } });
      const outcomes = await outcomesOf(leader, accepted, Type.Array(RunningJob));
      const nameOf = await namesFor(leader, outcomes, (jobs) => jobs.map(({ job_name }) => job_name));
      const heads = ['UNIT', 'JOB', 'STATE', 'EXPERIMENT', 'STARTED', 'BY', 'ID'];
      const rowsOf = (jobs: readonly RunningJob[]) =>
        jobs.map((job) => [
          job.unit,
          nameOf(job.job_name),
          job.reason === null ? job.state : `${job.state}: ${job.reason}`,
          job.experiment,
          job.started_at,
          job.started_by ?? (job.job_source === sourceWithoutAccount ? 'not signed in' : job.job_source),
          String(job.job_id),
        ]);
      reportTable(io, options, outcomes, heads, rowsOf, 'No job runs. Start one: lcs run JOB --unit UNIT');
    });
}

interface RunOptions extends TargetOptions {
  readonly option: readonly (readonly [string, string])[];
  readonly config: readonly (readonly [string, string, string])[];
  readonly confirmDilution?: true;
  readonly reason?: string;
}

const reasonIn = ({ reason }: { readonly reason?: string }) => (reason === undefined ? {} : { reason });

/** `lcs run`: starts a job and waits until it is up. */
function addRun(program: Command, io: ProgramIo): void {
  withTarget(program.command('run').description('start a job'), io)
    .argument('<job>', 'such as stirring, od_reading, growth_rate_calculating, temperature_automation')
    .argument('[words...]', 'arguments of some jobs, such as growth_rate_calculating clear_cache')
    .option('--option <name=value>', 'an option of the job; may be repeated', parseOption, [])
    .option('--config <section.key=value>', 'a setting of the configuration, for this run only', parseOverride, [])
    .option(...confirmDilution)
    .option('--reason <text>', 'why, for the audit')
    .action(async (job: string, args: string[], options: RunOptions) => {
      const leader = connect(options);
      const targets = await targetsOf(leader, options.unit, options.experiment);
      const body: RunJob = {
        ...(args.length > 0 && { args }),
        options: Object.fromEntries(options.option.map(([name, value]) => [name, parseValue(value)])),
        config_overrides: options.config.map((entry) => [...entry]),
        env: { JOB_SOURCE: 'user' },
      };
      const start = async ({ unit, experiment }: JobTarget, confirm_dilution: boolean) => {
        const params = { reactor_unit: unit, job, experiment };
        const accepted = await leader.runWorkerJob({
          params,
          body: { ...body, confirm_dilution },
          ...reasonIn(options),
        });
        return outcomesOf(leader, accepted, StartedJob);
      };
      const first = await ofTargets(targets, (target) => start(target, options.confirmDilution === true));
      const outcomes = await askToConfirm(io, first, (unit) => start(targetOf(targets, unit), true));
      const nameOf = await jobNames(leader, [job]);
      reportOutcomes(io, options, outcomes, (started, unit) =>
        [`${unit}: ${nameOf(job)} is ${started.state}.`, ...warningLines(started)].join(' '),
      );
    });
}

interface StopOptions extends Omit<TargetOptions, 'unit'> {
  readonly unit?: readonly string[];
  readonly all?: true;
  readonly everything?: true;
  readonly pumps?: true;
}

const stoppedLine = ({ stopped }: StoppedJobs, nameOf: JobNameOf): string =>
  `stopped ${stopped.map(({ job_name }) => nameOf(job_name)).join(', ') || 'nothing'}.`;

/** `unit1: stopped Stirring, OD reading.` */
async function reportStopped(
  io: ProgramIo,
  options: ConnectionOptions,
  leader: Connected,
  outcomes: Outcomes<StoppedJobs>,
) {
  const nameOf = await namesFor(leader, outcomes, ({ stopped }) => stopped.map(({ job_name }) => job_name));
  reportOutcomes(io, options, outcomes, (stopped, unit) => `${unit}: ${stoppedLine(stopped, nameOf)}`);
}

/** Stops all jobs of the node on this machine through its Unix socket: without leader, sign-in and network. */
async function stopOwnJobs(io: ProgramIo, options: StopOptions): Promise<void> {
  const socket = nodeSocketIn(options.dataDir);
  if (socket === undefined)
    throw new CommandFailure({
      error: `No node runs with the data folder ${options.dataDir}.`,
      cause: 'The folder contains no socket run/node.sock.',
      remediation: 'Name the data folder of the unit with --data-dir.',
    });
  const node = connect({ ...options, socket });
  const stopped = await resultOf(node, await node.stopAllJobs(), StoppedJobs);
  if (options.json) printJson(io, stopped);
  // The leader is left out: plugins have their identifiers in words.
  else io.stdout.write(`This node: ${stoppedLine(stopped, jobTitle)}\n`);
}

/** `--pumps`, `--everything`: what stops on all units at once. */
async function stopEverywhere(io: ProgramIo, options: ConnectionOptions, what: StopEverywhere['what']): Promise<void> {
  const leader = connect(options);
  const outcomes = await outcomesOf(leader, await leader.stopEverywhere({ body: { what } }), StoppedJobs);
  await reportStopped(io, options, leader, outcomes);
}

/** @throws CommandFailure when an option that concerns all units is given with a restriction, which it would ignore */
function expectNoTarget(option: string, job: string | undefined, { unit, experiment }: StopOptions): void {
  if (job === undefined && unit === undefined && experiment === undefined) return;
  throw new CommandFailure({
    error: `${option} cannot be restricted.`,
    cause: `${option} concerns all units and experiments: it takes no job, no --unit and no --experiment.`,
    remediation: `Use ${option} alone, or lcs stop --unit <unit> with the job.`,
  });
}

const hasStoppedNothing = (outcomes: Outcomes<StoppedJobs>): boolean =>
  Object.values(outcomes).every((outcome) => outcome.ok && outcome.value.stopped.length === 0);

/** @throws CommandFailure for a name that no job has: a mistyped stop must not look like one that found nothing to do */
async function expectKnownJob(leader: Connected, job: string): Promise<void> {
  const described = (await leader.listJobDescriptors()).map(({ job_name }) => job_name);
  const known = [...new Set([...Object.keys(jobTitles), ...described])];
  if (known.includes(job)) return;
  throw new CommandFailure({
    error: `There is no job ${job}. Nothing was stopped.`,
    cause: 'It ran nowhere, and neither the program nor a plugin defines it.',
    remediation: `${nameHint(job, known)} lcs jobs --json has the identifiers of the running jobs.`,
  });
}

/** `lcs stop`: stops a job, or all of an experiment, and waits until it is down. */
function addStop(program: Command, io: ProgramIo): void {
  withConnection(program.command('stop').description('stop a job, or all jobs of an experiment'), io)
    .option(...unitOption)
    .option(...experimentOption)
    .option('--everything', 'all jobs and profiles on all units, whatever their experiment')
    .option('--pumps', 'all pumps on all units, whatever their experiment')
    .option('--all', 'all jobs of the node on this machine, without its leader (--data-dir names its data folder)')
    .argument('[job]', 'which job; without it: all of the experiment')
    .action(async (job: string | undefined, { all, everything, pumps, ...given }: StopOptions) => {
      if (all) return stopOwnJobs(io, given);
      if (everything || pumps) {
        const what = everything ? 'everything' : 'pumps';
        expectNoTarget(`--${what}`, job, given);
        return stopEverywhere(io, given, what);
      }
      const { unit } = given;
      if (unit === undefined)
        throw new CommandFailure({
          error: 'No unit is named.',
          cause: 'lcs stop needs --unit, --pumps or --everything, or --all for the node on this machine.',
          remediation: 'Add --unit <unit>; --unit all: every active unit of the experiment.',
        });
      const options: TargetOptions = { ...given, unit };
      const leader = connect(options);
      // A stop reaches the units of all experiments: more than one of them may be running.
      const targets = await targetsOf(leader, options.unit, options.experiment, { takesSeveral: true });
      const outcomes = await ofTargets(targets, async ({ unit: reactor_unit, experiment }) => {
        const params = { reactor_unit, experiment };
        const accepted =
          job === undefined
            ? await leader.stopWorkerJobsOfExperiment({ params })
            : await leader.stopWorkerJob({ params: { ...params, job_name: job } });
        return outcomesOf(leader, accepted, StoppedJobs);
      });
      if (job !== undefined && hasStoppedNothing(outcomes)) await expectKnownJob(leader, job);
      await reportStopped(io, options, leader, outcomes);
    });
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

/** The ranges of the job's settings on a unit, by their keys: limits that the descriptor leaves open are those of the option of the same name. */
async function rangesOf(leader: Connected, job: string, reactor_unit: string): Promise<ReadonlyMap<string, Range>> {
  const descriptor = (await leader.listJobDescriptors()).find(({ job_name }) => job_name === job);
  const accepted = await leader.getWorkerCapabilities({ params: { reactor_unit } });
  const outcomes = await outcomesOf(leader, accepted, Type.Array(Capability));
  const options = Object.values(outcomes)
    .flatMap((outcome) => (outcome.ok ? outcome.value : []))
    .filter(({ job_name }) => job_name === job)
    .flatMap((capability) => capability.options);
  return new Map(
    (descriptor?.published_settings ?? []).map(({ key, min, max, unit }) => {
      const own = options.filter(({ name }) => name === key);
      const lowest = own.map((option) => option.min ?? Number.NEGATIVE_INFINITY);
      const highest = own.map((option) => option.max ?? Number.POSITIVE_INFINITY);
      return [
        key,
        {
          min: min ?? (own.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...lowest)),
          max: max ?? (own.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...highest)),
          unit: unit ?? '',
        },
      ];
    }),
  );
}

/** @throws CommandFailure for a number that the job's setting cannot have: units would use their limit instead */
async function expectInRange(
  leader: Connected,
  job: string,
  [target]: readonly JobTarget[],
  wanted: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (target === undefined || !Object.values(wanted).some((value) => typeof value === 'number')) return;
  const ranges = await rangesOf(leader, job, target.unit);
  for (const [key, value] of Object.entries(wanted)) {
    const range = ranges.get(key);
    if (range === undefined || typeof value !== 'number' || (value >= range.min && value <= range.max)) continue;
    const limits = [`from ${range.min}`, `to ${range.max}`].filter((text) => !text.includes('Infinity')).join(' ');
    throw new CommandFailure({
      error: `${key} cannot be ${value}. Nothing was changed.`,
      cause: `It takes values ${[limits, range.unit].join(' ').trim()}.`,
      remediation: 'Enter a value of this range.',
    });
  }
}

interface SetOptions extends TargetOptions {
  readonly confirmDilution?: true;
  readonly reason?: string;
}

/** `lcs set`: changes settings of a running job and prints the active values. */
function addSet(program: Command, io: ProgramIo): void {
  withTarget(program.command('set').description('change settings of a running job'), io)
    .argument('<job>', 'such as stirring')
    .argument(
      '<name=value...>',
      'such as target_rpm=400',
      (text, before: readonly (readonly [string, string])[] = []) => parseOption(text, before),
    )
    .option(...confirmDilution)
    .option('--reason <text>', 'why, for the audit')
    .action(async (job: string, settings: readonly (readonly [string, string])[], options: SetOptions) => {
      const leader = connect(options);
      const targets = await targetsOf(leader, options.unit, options.experiment);
      const wanted = Object.fromEntries(settings.map(([name, value]) => [name, parseValue(value)]));
      await expectInRange(leader, job, targets, wanted);
      const change = async ({ unit, experiment }: JobTarget, confirm_dilution: boolean) => {
        const params = { reactor_unit: unit, job, experiment };
        const accepted = await leader.updateWorkerJob({
          params,
          body: { settings: wanted, confirm_dilution },
          ...reasonIn(options),
        });
        return outcomesOf(leader, accepted, UpdatedJobSettings);
      };
      const first = await ofTargets(targets, (target) => change(target, options.confirmDilution === true));
      const outcomes = await askToConfirm(io, first, (unit) => change(targetOf(targets, unit), true));
      const isLimited = ([name, value]: readonly [string, unknown]): boolean =>
        typeof wanted[name] === 'number' && typeof value === 'number' && value !== wanted[name];
      reportOutcomes(io, options, outcomes, (updated, unit) => {
        const active = Object.entries(updated.settings).map(
          (entry) => `${entry[0]} = ${entry[1]}${isLimited(entry) ? ` (limited, instead of ${wanted[entry[0]]})` : ''}`,
        );
        return [`${unit}: ${active.join(', ')}`, ...warningLines(updated)].join('. ');
      });
      const limited = Object.values(outcomes).some(
        (outcome) => outcome.ok && Object.entries(outcome.value.settings).some(isLimited),
      );
      if (limited)
        throw new CommandFailure({
          error: 'A value was limited.',
          cause: 'The unit accepts no such value, and uses its limit instead: the lines above have what is active now.',
          remediation: 'Set a value within the limits.',
        });
    });
}

/** `lcs jobs | run | stop | set` */
export function addJobCommands(program: Command, io: ProgramIo): void {
  addJobs(program, io);
  addRun(program, io);
  addStop(program, io);
  addSet(program, io);
}
