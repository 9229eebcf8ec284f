import type { ProfileRunDetails } from '@lcs/contract';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { runIdOf } from './profile-watch.ts';

interface RunOfExperiment extends ConnectionOptions {
  readonly experiment: string;
}

/** The run with this ID, else the only one that has not ended. @throws CommandFailure */
async function chosenRun(leader: Connected, experiment: string, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const running = await leader.listRunningProfiles({ params: { experiment } });
  const ids = running.flatMap(({ run_id }) => run_id ?? []);
  if (ids.length === 1 && ids[0] !== undefined) return ids[0];
  throw new CommandFailure({
    error: ids.length === 0 ? `No profile runs in ${experiment}.` : `${ids.length} profiles run in ${experiment}.`,
    cause: ids.length === 0 ? 'Its runs have ended, or none was started.' : 'The ID of a run is needed.',
    remediation: 'List the runs: lcs profiles runs --experiment NAME --json',
  });
}

function showState(io: ProgramIo, run: ProfileRunDetails): void {
  const { experiment_profile_name: name, asks_about: asked } = run;
  const state = run.outcome ?? (run.is_paused ? 'paused' : 'runs');
  io.stdout.write(`${printable(name)}: ${state}\n`);
  if (asked === null) return;
  const { reactor_unit, path, iteration } = asked;
  io.stdout.write(
    `It asks about ${printable(`${path} on ${reactor_unit}`)} (iteration ${iteration}): it was missed.\n`,
  );
}

const withRun = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io)
    .requiredOption('--experiment <name>', 'in which experiment')
    .argument('[run]', 'the ID of a run, as "lcs profiles runs --json" shows it; without it: the one that runs');

/** `lcs profiles pause | resume`. */
function addPauses(parent: Command, io: ProgramIo): void {
  const add = (name: 'pause' | 'resume', description: string) =>
    withRun(parent.command(name).description(description), io).action(
      async (id: string | undefined, options: RunOfExperiment) => {
        const leader = connect(options);
        const { experiment } = options;
        const params = { experiment, run_id: await chosenRun(leader, experiment, id) };
        const run = await (name === 'pause' ? leader.pauseProfileRun({ params }) : leader.resumeProfileRun({ params }));
        if (options.json) printJson(io, run);
        else showState(io, run);
      },
    );
  add('pause', 'pause a run; its jobs continue');
  add('resume', 'resume a paused run; missed actions about which it asks are carried out');
}

interface SkipOptions extends RunOfExperiment {
  readonly unit?: string;
  readonly path?: string;
  readonly iteration?: string;
}

/** The item that the options name; what they leave open is that of the next one that waits. @throws CommandFailure */
async function itemOf(
  leader: Connected,
  params: { readonly experiment: string; readonly run_id: string },
  { unit, path, iteration }: SkipOptions,
) {
  const { waiting } = await leader.getProfileRun({ params });
  const next = waiting.find(
    (item) => (unit ?? item.reactor_unit) === item.reactor_unit && (path ?? item.path) === item.path,
  );
  const named = { reactor_unit: unit ?? next?.reactor_unit, path: path ?? next?.path };
  if (named.reactor_unit === undefined || named.path === undefined)
    throw new CommandFailure({
      error: 'Nothing of this run waits there.',
      cause: 'No action of this unit and path is still to come.',
      remediation: 'Look at what waits: lcs profiles show --experiment NAME --json',
    });
  return {
    reactor_unit: named.reactor_unit,
    path: named.path,
    iteration: iteration === undefined ? (next?.iteration ?? 0) : Number(iteration),
  };
}

/** `lcs profiles skip`: to an action, loop or wait of a run. */
function addSkip(parent: Command, io: ProgramIo): void {
  const what = 'end a wait of a run, leave out the missed action about which it asks, or skip to a later action';
  withRun(parent.command('skip').description(`${what}; without options to the next one`), io)
    .option('--unit <name>', 'of the item')
    .option('--path <path>', 'of the item, as "lcs profiles show --json" shows it in "waiting"')
    .option('--iteration <number>', 'of its loop')
    .action(async (id: string | undefined, options: SkipOptions) => {
      const leader = connect(options);
      const { experiment } = options;
      const params = { experiment, run_id: await chosenRun(leader, experiment, id) };
      const body = await itemOf(leader, params, options);
      const run = await leader.skipProfileItem({ params, body });
      if (options.json) printJson(io, run);
      else {
        io.stdout.write(
          `${printable(`The run continues at ${body.path} of ${body.reactor_unit}, on all its units`)}.\n`,
        );
        showState(io, run);
      }
    });
}

/** `lcs profiles export`: the record of a run as JSON. */
function addExport(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('export').description('the record of a run as one JSON document'), io)
    .requiredOption('--experiment <name>', 'in which experiment')
    .argument('[run]', 'the ID of a run; without it: the newest run')
    .action(async (id: string | undefined, options: RunOfExperiment) => {
      const leader = connect(options);
      const { experiment } = options;
      const params = { experiment, run_id: await runIdOf(leader, experiment, id) };
      printJson(io, await leader.exportProfileRun({ params }));
    });
}

/** Controls of a run that has begun, and its record. */
export function addProfileControls(parent: Command, io: ProgramIo): void {
  addPauses(parent, io);
  addSkip(parent, io);
  addExport(parent, io);
}
