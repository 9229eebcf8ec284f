import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasShape, InstalledPlugin, isErrorBody, ProblemError, Uploaded } from '@lcs/contract';
import type { Command } from 'commander';
import { Type } from 'typebox';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { allUnits } from '../current-experiment.ts';
import { outcomesOf, reportOutcomes, reportTable } from '../outcomes.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface UnitOptions extends ConnectionOptions {
  readonly unit: string;
}

interface InstallOptions extends UnitOptions {
  readonly file?: string;
  readonly version?: string;
}

const withUnit = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io).option(
    '--unit <unit>',
    'which unit; all: the leader and all workers',
    (unit) => (unit === 'all' ? allUnits : unit),
    allUnits,
  );

/** Sends a file to the leader; returns its upload ID. @throws CommandFailure, ProblemError */
async function upload(leader: Connected, path: string): Promise<string> {
  const form = new FormData();
  try {
    // Read at once: a blob of a folder or of a file that goes away fails only while it is sent.
    form.set('file', new Blob([await readFile(path)]), basename(path));
  } catch (error) {
    throw new CommandFailure({
      error: `${path} cannot be read.`,
      cause: error instanceof Error ? error.message : String(error),
      remediation: 'Name a .js, .ts or .tgz file.',
    });
  }
  const answer = await leader.fetch('/api/system/upload', { method: 'POST', body: form });
  const body: unknown = await answer.json();
  if (answer.ok && hasShape(Uploaded, body)) return body.upload_id;
  if (isErrorBody(body)) throw new ProblemError('answer', body);
  throw new CommandFailure({
    error: `The leader answered with HTTP ${answer.status}.`,
    cause: 'The leader rejected the file.',
    remediation: 'Try again.',
  });
}

async function list(io: ProgramIo, options: UnitOptions): Promise<void> {
  const leader = connect(options);
  const params = { reactor_unit: options.unit };
  const outcomes = await outcomesOf(leader, await leader.listUnitPlugins({ params }), Type.Array(InstalledPlugin));
  reportTable(
    io,
    options,
    outcomes,
    ['UNIT', 'PLUGIN', 'VERSION', 'SOURCE', 'PROBLEM'],
    (plugins, unit) => plugins.map(({ name, version, source, error }) => [unit, name, version, source, error ?? '']),
    'No plugins. Install one: lcs plugins install NAME',
  );
}

/** `lcs plugins`, `lcs plugins install`, `lcs plugins uninstall` */
export function addPluginCommands(program: Command, io: ProgramIo): void {
  const plugins = program.command('plugins').description('plugins of the leader and its units');
  withUnit(plugins.command('list', { isDefault: true }).description('the installed plugins'), io).action(
    (options: UnitOptions) => list(io, options),
  );
  withUnit(plugins.command('install').description('install a plugin'), io)
    .argument('<name>', 'the name of the plugin')
    .option('--file <path>', 'a .js, .ts or .tgz file on this computer, instead of the registry')
    .option('--version <version>', 'from the registry; default: the newest')
    .action(async (name: string, options: InstallOptions) => {
      const leader = connect(options);
      const { file, version } = options;
      const source = file === undefined ? undefined : await upload(leader, file);
      const body = { args: [name], options: { ...(source && { source }), ...(version && { version }) } };
      const accepted = await leader.installUnitPlugin({ params: { reactor_unit: options.unit }, body });
      const outcomes = await outcomesOf(leader, accepted, Type.Unknown());
      reportOutcomes(io, options, outcomes, (_, unit) => `${unit}: ${name} is installed.`);
    });
  withUnit(plugins.command('uninstall').description('remove a plugin'), io)
    .argument('<name>', 'the name of the plugin, or of its file without the ending')
    .action(async (name: string, options: UnitOptions) => {
      const leader = connect(options);
      const body = { args: [name] };
      const accepted = await leader.uninstallUnitPlugin({ params: { reactor_unit: options.unit }, body });
      const outcomes = await outcomesOf(leader, accepted, Type.Unknown());
      reportOutcomes(io, options, outcomes, (_, unit) => `${unit}: ${name} is removed.`);
    });
}
