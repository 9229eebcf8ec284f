import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { InstalledPlugin, Uploaded } from '@lcs/contract';
import type { Command } from 'commander';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { everyUnit } from '../current-experiment.ts';
import { outcomesOf, reportOutcomes } from '../outcomes.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface UnitOptions extends ConnectionOptions {
  readonly unit: string;
}

interface InstallOptions extends UnitOptions {
  readonly file?: string;
  readonly version?: string;
}

const isList = (value: unknown): value is InstalledPlugin[] => Value.Check(Type.Array(InstalledPlugin), value);

const withUnit = (command: Command, io: ProgramIo): Command =>
  withConnection(command, io).option(
    '--unit <unit>',
    'which unit; all: the leader and all workers',
    (unit) => (unit === 'all' ? everyUnit : unit),
    everyUnit,
  );

/** The same program without output: with `--json` the outcomes are already printed. */
const withoutOutput = (io: ProgramIo): ProgramIo => ({ ...io, stdout: { write: () => true } });

/** Sends a file to the leader; returns its upload ID. @throws CommandFailure */
async function upload(baseUrl: string, path: string): Promise<string> {
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
  const answer = await fetch(`${baseUrl}/api/system/upload`, { method: 'POST', body: form });
  const body: unknown = await answer.json();
  if (answer.ok && Value.Check(Uploaded, body)) return body.upload_id;
  const problem: Readonly<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {};
  throw new CommandFailure({
    error: String(problem.error ?? `The leader answered with HTTP ${answer.status}.`),
    cause: String(problem.cause ?? 'The leader rejected the file.'),
    remediation: String(problem.remediation ?? 'Try again.'),
  });
}

async function list(io: ProgramIo, options: UnitOptions): Promise<void> {
  const leader = connect(options);
  const params = { reactor_unit: options.unit };
  const outcomes = await outcomesOf(leader, await leader.listUnitPlugins({ params }));
  if (options.json) printJson(io, outcomes);
  const rows = Object.entries(outcomes).flatMap(([unit, outcome]) =>
    outcome.ok && isList(outcome.value)
      ? outcome.value.map(({ name, version, source, error }) => [unit, name, version, source, error ?? ''])
      : [],
  );
  if (!options.json) printTable(io, ['UNIT', 'PLUGIN', 'VERSION', 'SOURCE', 'PROBLEM'], rows);
  const failed = Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => !outcome.ok));
  if (Object.keys(failed).length > 0) reportOutcomes(options.json ? withoutOutput(io) : io, failed, () => '');
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
      const source = file === undefined ? undefined : await upload(leader.baseUrl, file);
      const body = { args: [name], options: { ...(source && { source }), ...(version && { version }) } };
      const accepted = await leader.installUnitPlugin({ params: { reactor_unit: options.unit }, body });
      const outcomes = await outcomesOf(leader, accepted);
      if (options.json) printJson(io, outcomes);
      reportOutcomes(options.json ? withoutOutput(io) : io, outcomes, (_, unit) => `${unit}: ${name} is installed.`);
    });
  withUnit(plugins.command('uninstall').description('remove a plugin'), io)
    .argument('<name>', 'the name of the plugin, or of its file without the ending')
    .action(async (name: string, options: UnitOptions) => {
      const leader = connect(options);
      const body = { args: [name] };
      const accepted = await leader.uninstallUnitPlugin({ params: { reactor_unit: options.unit }, body });
      const outcomes = await outcomesOf(leader, accepted);
      if (options.json) printJson(io, outcomes);
      reportOutcomes(options.json ? withoutOutput(io) : io, outcomes, (_, unit) => `${unit}: ${name} is removed.`);
    });
}
