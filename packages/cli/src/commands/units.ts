import type { Assignment, UnitStatus } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, InvalidArgumentError } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { addMachineCommands } from './machines.ts';

/** How long ago, in the largest unit that fits: `3 s`, `12 min`, `5 h`, `9 d`. */
export function age(fromMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - fromMs) / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

const row = (unit: UnitStatus, assignments: readonly Assignment[], nowMs: number): string[] => {
  const assignment = assignments.find(({ reactor_unit }) => reactor_unit === unit.reactor_unit);
  return [
    unit.reactor_unit,
    unit.trouble === null ? unit.liveness : `${unit.liveness} (${unit.trouble})`,
    unit.last_heard_at === null ? 'never' : age(Date.parse(unit.last_heard_at), nowMs),
    assignment?.experiment ?? '',
    assignment?.is_active === 0 ? 'inactive' : '',
    String(unit.backlog),
    unit.app_version ?? '',
    unit.url ?? '',
  ];
};

interface AddOptions extends ConnectionOptions {
  readonly model?: readonly [name: string, version: string];
}

function modelOf(text: string): readonly [name: string, version: string] {
  const [, name, version] = /^(.+):([^:]+)$/.exec(text) ?? [];
  if (name === undefined || version === undefined)
    throw new InvalidArgumentError('Enter name:version, such as reactor_40ml:1.5. GET /api/models lists all.');
  return [name, version];
}

/** `lcs units add | remove`: a machine that has enrolled becomes a worker, or is none any more. */
function addWorker(units: Command, io: ProgramIo): void {
  withConnection(units.command('add').description('add an enrolled unit to the workers'), io)
    .argument('<unit>', 'such as rx07')
    .option('--model <name:version>', 'its reactor, such as reactor_40ml:1.5', modelOf)
    .action(async (unit: string, options: AddOptions) => {
      const [model_name = null, model_version = null] = options.model ?? [];
      const leader = connect(options);
      await leader.registerWorker({ body: { reactor_unit: unit, model_name, model_version } });
      if (options.json) return;
      const added = (await leader.listUnits()).find(({ reactor_unit }) => reactor_unit === unit);
      const remark =
        added?.last_heard_at == null ? ' It has never connected: a machine of this name must enrol (lcs unit).' : '';
      io.stdout.write(`${unit} is a worker.${remark}\n`);
    });
  withConnection(units.command('remove').description('take a unit out of the workers; its data stay'), io)
    .argument('<unit>', 'such as rx07')
    .action(async (unit: string, options: ConnectionOptions) => {
      await connect(options).removeWorker({ params: { reactor_unit: unit } });
      if (!options.json) io.stdout.write(`${unit} is no worker any more.\n`);
    });
}

/** `lcs units assign | unassign`: which experiment a unit is in. */
function addAssignments(units: Command, io: ProgramIo): void {
  withConnection(units.command('assign').description('put a unit into an experiment'), io)
    .argument('<unit>', 'such as rx07')
    .argument('<experiment>', 'one that exists; a unit of another experiment moves, and its jobs there end')
    .option('--yes', 'also out of another experiment, where its jobs end')
    .action(async (unit: string, experiment: string, options: ConnectionOptions & { readonly yes?: true }) => {
      const leader = connect(options);
      const { experiment: other = null } =
        (await leader.listAssignments()).find(({ reactor_unit }) => reactor_unit === unit) ?? {};
      if (other !== null && other !== experiment && !options.yes)
        throw new CommandFailure({
          error: `${unit} is in ${other}.`,
          cause: 'Its jobs there would end. Nothing was changed.',
          remediation: 'Add --yes to move it all the same.',
        });
      await leader.assignWorker({ params: { experiment }, body: { reactor_unit: unit } });
      if (!options.json) io.stdout.write(`${unit} is in ${experiment}.\n`);
    });
  withConnection(units.command('unassign').description('take a unit out of its experiment; its jobs end'), io)
    .argument('<unit>', 'such as rx07')
    .argument('<experiment>', 'the one it is in')
    .action(async (unit: string, experiment: string, options: ConnectionOptions) => {
      await connect(options).unassignWorker({ params: { experiment, reactor_unit: unit } });
      if (!options.json) io.stdout.write(`${unit} is free.\n`);
    });
}

/** `lcs units`: all units with their state; its other commands are about their credentials. */
export function addUnitsCommand(program: Command, io: ProgramIo): void {
  const units = program.command('units').description('the leader and its units');
  addMachineCommands(units, io);
  addWorker(units, io);
  addAssignments(units, io);
  const list = units.command('list', { isDefault: true }).description('the state of each unit');
  withConnection(list, io).action(async (options: ConnectionOptions) => {
    const leader = connect(options);
    const [units, assignments] = await Promise.all([leader.listUnits(), leader.listAssignments()]);
    if (options.json) return printJson(io, units);
    const now = realClock().now();
    printTable(
      io,
      ['UNIT', 'STATE', 'LAST SEEN', 'EXPERIMENT', '', 'BACKLOG', 'VERSION', 'ADDRESS'],
      units.map((unit) => row(unit, assignments, now)),
    );
    const discovered = await leader.discoverWorkers();
    for (const { reactor_unit } of discovered) {
      io.stdout.write(
        `${reactor_unit} has enrolled and is not a worker yet: add it in the web UI, or with \`lcs units add ${reactor_unit}\`.\n`,
      );
    }
  });
}
