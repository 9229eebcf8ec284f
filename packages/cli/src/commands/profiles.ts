import { basename } from 'node:path';
import { ProblemError, type profileRoutes, type ResultOf, StartedJob, StoppedJobs } from '@lcs/contract';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { jobNames } from '../job-names.ts';
import { resultOf } from '../outcomes.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { addCheck, showFindings, unitsOption } from './profile-check.ts';
import { addProfileControls } from './profile-controls.ts';
import { diagnosticText, readText } from './profile-files.ts';
import { addFormat } from './profile-format.ts';
import { addPlan } from './profile-plan.ts';
import { addSave } from './profile-save.ts';
import { addSimulate } from './profile-simulate.ts';
import { addWatch, runIdOf } from './profile-watch.ts';

/** The job that carries out a profile. */
const job = 'experiment_profile';

type Checked = ResultOf<(typeof profileRoutes)['checkExperimentProfile']>;

/** `lcs profiles list`: the files with their errors. */
function addList(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('list').description('the profiles of the leader'), io).action(
    async (options: ConnectionOptions) => {
      const profiles = await connect(options).listExperimentProfiles();
      if (options.json) return printJson(io, profiles);
      printTable(
        io,
        ['FILE', 'NAME', 'FOR', 'FAULT'],
        profiles.map(
          ({ file, experimentProfile: { experiment_profile_name: name, reactors, common }, parse_error }) => {
            const units = Object.keys(reactors);
            const all = Object.keys(common.jobs).length > 0 || units.length === 0 ? ['all units'] : [];
            return [file, name, [...all, ...units].join(', '), parse_error ?? ''];
          },
        ),
        'No profiles yet. Start from one of the library: lcs profiles library',
      );
    },
  );
}

function showChecked(io: ProgramIo, file: string, { valid, diagnostics, not_runnable_because }: Checked): void {
  for (const diagnostic of diagnostics) io.stdout.write(`${printable(`${file}:${diagnosticText(diagnostic)}`)}\n`);
  for (const reason of not_runnable_because) io.stdout.write(`${printable(`${file}: ${reason}`)}\n`);
  if (valid && not_runnable_because.length === 0) io.stdout.write(`${printable(file)} can be executed.\n`);
}

/** `lcs profiles validate`: checks a file on this computer, without saving it. */
function addValidate(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('validate').description('check a file on this computer, without saving it'), io)
    .argument('<file>', 'a YAML file')
    .action(async (file: string, options: ConnectionOptions) => {
      const checked = await connect(options).checkExperimentProfile({ body: { body: await readText(file) } });
      if (options.json) printJson(io, checked);
      else showChecked(io, file, checked);
      if (checked.runnable) return;
      throw new CommandFailure({
        error: `${basename(file)} cannot be executed.`,
        cause: 'The output above names the errors.',
        remediation: 'Correct them, then check the file again.',
      });
    });
}

interface RunOptions extends ConnectionOptions {
  readonly experiment: string;
  readonly dryRun?: true;
  readonly ignoreFindings?: true;
  readonly units?: string;
}

interface StartOfRun {
  readonly args: string[];
  readonly options: Record<string, string | null>;
  readonly env: Record<string, string>;
}

/** Starts a run. `refused` is called first when the check before the start refuses it. @throws ProblemError */
async function startedOr(leader: Connected, body: StartOfRun, refused: () => unknown): Promise<StartedJob> {
  try {
    return await resultOf(leader, await leader.runJob({ params: { job }, body }), StartedJob);
  } catch (error) {
    if (error instanceof ProblemError && error.body.code === 'profile_preflight_failed') await refused();
    throw error;
  }
}

/** All findings of a refused start; its error names the first ones. */
async function showRefusal(io: ProgramIo, leader: Connected, filename: string, { experiment, units }: RunOptions) {
  const body = { filename, ...(units !== undefined && { units }) };
  showFindings(io, await leader.preflightExperimentProfile({ params: { experiment }, body }));
}

/** `lcs profiles run`: starts a profile and waits until it has begun. */
function addRun(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('run').description('carry out a profile of the leader'), io)
    .argument('<file>', 'as "lcs profiles list" shows it; "lcs profiles save" adds one')
    .requiredOption('--experiment <name>', 'in which experiment')
    .option('--dry-run', 'log the actions at their time without doing them')
    .option(...unitsOption)
    .option('--ignore-findings', 'start although findings of the check before the start block it')
    .action(async (file: string, options: RunOptions) => {
      const leader = connect(options);
      const body = {
        args: ['execute', file, options.experiment],
        options: {
          ...(options.dryRun && { 'dry-run': null }),
          ...(options.ignoreFindings && { 'ignore-findings': null }),
          ...(options.units !== undefined && { units: options.units }),
        },
        env: { JOB_SOURCE: 'user' },
      };
      const params = { experiment: options.experiment };
      const started = await startedOr(leader, body, () => options.json || showRefusal(io, leader, file, options));
      if (options.json) return printJson(io, started);
      const run_id = await runIdOf(leader, options.experiment, undefined);
      const { preflight } = await leader.getProfileRun({ params: { ...params, run_id } });
      if (preflight !== null) showFindings(io, preflight);
      io.stdout.write(`${printable(`${file} runs in ${options.experiment}`)} (job ${started.job_id}).\n`);
    });
}

/** `lcs profiles runs`: present and past runs in an experiment. */
function addRuns(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('runs').description('the runs of profiles in an experiment, newest first'), io)
    .requiredOption('--experiment <name>', 'which experiment')
    .action(async (options: ConnectionOptions & { experiment: string }) => {
      const leader = connect(options);
      const params = { experiment: options.experiment };
      const [running, recent] = await Promise.all([
        leader.listRunningProfiles({ params }),
        leader.listRecentProfileRuns({ params }),
      ]);
      if (options.json) return printJson(io, { running, recent });
      const idOf = (started: string) =>
        running.find(({ settings }) => settings.start_time_utc === started)?.job_id ?? '';
      printTable(
        io,
        ['STARTED', 'PROFILE', 'FILE', 'OUTCOME', 'JOB'],
        recent.map(({ started_at, experiment_profile_name: name, profile_filename: file, dry_run, outcome }) => [
          started_at,
          name,
          file,
          `${outcome ?? 'runs'}${dry_run ? ', dry' : ''}`,
          String(idOf(started_at)),
        ]),
        `No profile has run in ${options.experiment}. Start one: lcs profiles run FILE --experiment ${options.experiment}`,
      );
    });
}

const shownActions = 20;

/** `lcs profiles show`: what a run has done, and what is next. */
function addShow(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('show').description('what a run has done, and what is next'), io)
    .requiredOption('--experiment <name>', 'which experiment')
    .argument('[run]', 'the ID of a run, as "lcs profiles runs --json" shows it; without it: the newest run')
    .action(async (id: string | undefined, options: ConnectionOptions & { experiment: string }) => {
      const leader = connect(options);
      const { experiment } = options;
      const run_id = await runIdOf(leader, experiment, id);
      const params = { experiment, run_id };
      const [run, actions] = await Promise.all([
        leader.getProfileRun({ params }),
        leader.listProfileRunActions({ params, query: { limit: shownActions } }),
      ]);
      if (options.json) return printJson(io, { ...run, actions });
      const state = run.outcome ?? (run.is_paused ? 'paused' : 'runs');
      const nameOf = await jobNames(
        leader,
        [...actions, ...run.waiting].map(({ job_name }) => job_name),
      );
      io.stdout.write(`${printable(run.experiment_profile_name)} (${printable(run.profile_filename)}): ${state}\n\n`);
      printTable(
        io,
        ['TIME', 'UNIT', 'JOB', 'ACTION', 'OUTCOME', 'REASON'],
        [
          ...[...actions]
            .reverse()
            .map((each) => [
              ...[
                each.settled_at,
                each.reactor_unit,
                nameOf(each.job_name),
                each.action,
                each.outcome,
                each.reason ?? '',
              ],
            ]),
          ...run.waiting
            .slice(0, shownActions)
            .map((each) => [
              ...[each.planned_at ?? '', each.reactor_unit, nameOf(each.job_name), each.action, 'waits', ''],
            ]),
        ],
      );
    });
}

interface StopOptions extends ConnectionOptions {
  readonly experiment?: string;
}

/** `lcs profiles stop`: stops a run, or all runs of an experiment, and the jobs that they have started. */
function addStop(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('stop').description('stop a run, and the jobs that it has started'), io)
    .argument('[run]', 'its ID, or the number of its job; without it: all runs of the experiment')
    .option('--experiment <name>', 'in which experiment')
    .action(async (id: string | undefined, options: StopOptions) => {
      const isJob = id !== undefined && /^[1-9]\d{0,14}$/.test(id);
      if (options.experiment === undefined && !isJob) {
        throw new CommandFailure({
          error: 'Which run?',
          cause: 'The name of an experiment is needed, or the number of a job.',
          remediation: 'List the runs: lcs profiles runs --experiment NAME',
        });
      }
      const leader = connect(options);
      const { experiment } = options;
      if (experiment !== undefined && id !== undefined && !isJob) {
        const run = await leader.stopProfileRun({ params: { experiment, run_id: id } });
        if (options.json) return printJson(io, run);
        io.stdout.write(`${printable(run.experiment_profile_name)}: ${run.outcome ?? 'is being stopped'}\n`);
        return;
      }
      const body = { job_name: job, ...(id && { job_id: Number(id) }), ...(experiment && { experiment }) };
      const result = await resultOf(leader, await leader.stopJobs({ body }), StoppedJobs);
      if (options.json) return printJson(io, result);
      const ids = result.stopped.map(({ job_id }) => job_id);
      io.stdout.write(ids.length === 0 ? 'No run was running.\n' : `Stopped ${ids.join(', ')}.\n`);
    });
}

/** `lcs profiles library`: the profiles to start from, or the text of one of them. */
function addLibrary(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('library').description('documented profiles to start from'), io)
    .argument('[name]', 'prints the text of this one, with or without .yaml')
    .action(async (name: string | undefined, options: ConnectionOptions) => {
      const library = await connect(options).listLibraryProfiles();
      if (name === undefined) {
        if (options.json) return printJson(io, library);
        const rows = library.map(({ filename, description }) => [filename.replace(/\.yaml$/, ''), description]);
        return printTable(io, ['NAME', 'DESCRIPTION'], rows);
      }
      const profile = library.find(({ filename }) => filename === name || filename === `${name}.yaml`);
      if (profile === undefined) {
        throw new CommandFailure({
          error: `The library has no profile '${name}'.`,
          cause: `It has: ${library.map(({ filename }) => filename.replace(/\.yaml$/, '')).join(', ')}.`,
          remediation: 'Choose one of these: lcs profiles library NAME > my.yaml',
        });
      }
      if (options.json) return printJson(io, profile);
      io.stdout.write(profile.text);
    });
}

/** `lcs profiles list | library | validate | plan | simulate | format | save | check | run | runs | show | watch | pause | resume | skip | export | stop` */
export function addProfileCommands(program: Command, io: ProgramIo): void {
  const parent = program.command('profiles').description('list, check, run and stop experiment profiles');
  addList(parent, io);
  addLibrary(parent, io);
  addValidate(parent, io);
  addPlan(parent, io);
  addSimulate(parent, io);
  addFormat(parent, io);
  addCheck(parent, io);
  addSave(parent, io);
  addRun(parent, io);
  addRuns(parent, io);
  addShow(parent, io);
  addWatch(parent, io);
  addProfileControls(parent, io);
  addStop(parent, io);
}
