import { type Experiment, type ExperimentAccessChange, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

/** Refuses `.` and `..`, which a URL resolves, encoded or not; no experiment has such a name. */
function experimentName(name: string): string {
  if (/^\.{0,2}$/.test(name)) throw new InvalidArgumentError('Enter the name of an experiment.');
  return name;
}

function showExperiment(io: ProgramIo, experiment: Experiment): void {
  printTable(
    io,
    ['experiment', experiment.experiment],
    [
      ['created', experiment.created_at],
      ['running for', `${experiment.delta_hours} h`],
      ['workers', String(experiment.worker_count)],
      ['tags', experiment.tags.join(', ')],
      ['description', experiment.description ?? ''],
    ],
  );
}

function addList(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('list').description('all experiments, newest first'), io)
    .option('--active', 'only those with an active worker')
    .action(async (options: ConnectionOptions & { active?: true }) => {
      const leader = connect(options);
      const experiments = await (options.active ? leader.listActiveExperiments() : leader.listExperiments());
      if (options.json) return printJson(io, experiments);
      printTable(
        io,
        ['EXPERIMENT', 'CREATED', 'HOURS', 'WORKERS', 'TAGS'],
        experiments.map((row) => [
          row.experiment,
          row.created_at,
          String(row.delta_hours),
          String(row.worker_count),
          row.tags.join(', '),
        ]),
        options.active
          ? 'No experiment has an active worker. All of them: lcs experiments list'
          : 'No experiments yet. Create one: lcs experiments create NAME',
      );
    });
}

function addCreate(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('create <name>').description('create an experiment'), io)
    .option('--description <text>', 'a description')
    .option('--tag <tag>', 'a tag; may be repeated', (tag: string, tags: string[]) => [...tags, tag], [])
    .action(async (name: string, options: ConnectionOptions & { description?: string; tag: string[] }) => {
      const experiment = await connect(options).createExperiment({
        body: {
          experiment: name,
          tags: options.tag,
          ...(options.description === undefined ? {} : { description: options.description }),
        },
      });
      if (options.json) return printJson(io, experiment);
      io.stdout.write(`Created ${experiment.experiment}.\n`);
    });
}

function addShow(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('show').description('one experiment and its workers'), io)
    .argument('<name>', 'the experiment', experimentName)
    .action(async (name: string, options: ConnectionOptions) => {
      const leader = connect(options);
      const params = { experiment: name };
      const [experiment, workers] = await Promise.all([
        leader.getExperiment({ params }),
        leader.listExperimentWorkers({ params }),
      ]);
      if (options.json) return printJson(io, { ...experiment, workers });
      showExperiment(io, experiment);
      for (const worker of workers) {
        io.stdout.write(`  ${worker.reactor_unit}${worker.is_active === 1 ? '' : ' (inactive)'}\n`);
      }
    });
}

function addDelete(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('delete').description('delete an experiment with all its data'), io)
    .argument('<name>', 'the experiment', experimentName)
    .requiredOption('--yes', 'really delete it: this cannot be undone')
    .option('--reason <text>', 'why, for the audit')
    .action(async (name: string, options: ConnectionOptions & { readonly reason?: string }) => {
      const leader = connect(options);
      const { reason } = options;
      const accepted = await leader.deleteExperiment({
        params: { experiment: name },
        ...(reason !== undefined && { reason }),
      });
      const clock = realClock();
      const ended = await waitForTask(leader.baseUrl, accepted, {
        sleep: (ms) => clock.sleep(ms),
        headers: leader.headers,
        fetch: leader.send,
      });
      if (ended.status === 'failed') {
        const { error, cause, remediation } = ended;
        throw new CommandFailure({ error, cause, remediation });
      }
      if (options.json) return printJson(io, ended.result);
      io.stdout.write(`Deleted ${name}.\n`);
    });
}

interface MembersOptions extends ConnectionOptions {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** False: nobody. */
  readonly owner?: string | false;
  readonly protect?: true;
  readonly unprotect?: true;
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The present members with those of `--add`, without those of `--remove`. */
function changedMembers(members: readonly string[], { add, remove }: MembersOptions): string[] {
  const added = add.filter((name) => !members.some((member) => isSameName(member, name)));
  return [...members, ...added].filter((name) => !remove.some((removed) => isSameName(removed, name)));
}

/** What the options change; undefined: nothing, they only show. */
function accessChange(members: readonly string[], options: MembersOptions): ExperimentAccessChange | undefined {
  const { add, remove, owner, protect, unprotect } = options;
  const isProtected = protect ?? (unprotect && false);
  const change = {
    ...(add.length + remove.length > 0 && { members: changedMembers(members, options) }),
    ...(owner !== undefined && { owner: owner === false ? null : owner }),
    ...(isProtected !== undefined && { is_protected: isProtected }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const collect = (name: string, names: readonly string[]): readonly string[] => [...names, name];

/** `lcs experiments members`: who acts on an experiment. */
function addMembers(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('members').description('show or change owner, members and protection'), io)
    .argument('<name>', 'the experiment', experimentName)
    .option('--add <person>', 'a new member; may be repeated', collect, [])
    .option('--remove <person>', 'a member who leaves; may be repeated', collect, [])
    .option('--owner <person>', 'hand the experiment over')
    .option('--no-owner', 'leave it to administrators')
    .addOption(new Option('--protect', 'only owner, members and administrators act on it').conflicts('unprotect'))
    .option('--unprotect', 'every operator acts on it')
    .action(
      async (
        name: string,
        { owner, ...options }: Omit<MembersOptions, 'owner'> & { readonly owner: string | boolean },
      ) => {
        const leader = connect(options);
        const params = { experiment: name };
        const before = await leader.getExperimentAccess({ params });
        // Without --owner and --no-owner the value is true.
        const change = accessChange(before.members, { ...options, ...(owner !== true && { owner }) });
        const access = change === undefined ? before : await leader.updateExperimentAccess({ params, body: change });
        if (options.json) return printJson(io, access);
        printTable(
          io,
          ['experiment', access.experiment],
          [
            ['owner', access.owner ?? 'nobody'],
            ['members', access.members.join(', ')],
            ['protected', access.is_protected ? 'yes: only owner, members and administrators act on it' : 'no'],
          ],
        );
      },
    );
}

/** `lcs experiments list | create | show | members | delete` */
export function addExperimentCommands(program: Command, io: ProgramIo): void {
  const parent = program
    .command('experiments')
    .description('list, create, show and delete experiments; their owners and members');
  addList(parent, io);
  addCreate(parent, io);
  addShow(parent, io);
  addMembers(parent, io);
  addDelete(parent, io);
}
