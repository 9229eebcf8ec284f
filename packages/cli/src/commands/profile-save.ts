import { basename } from 'node:path';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import type { ProgramIo } from '../program-io.ts';
import { diagnosticText, readText } from './profile-files.ts';

/** `lcs profiles save`: a file of this computer becomes a profile of the leader. */
export function addSave(parent: Command, io: ProgramIo): void {
  withConnection(parent.command('save').description('save a file on the leader, so that it can be run'), io)
    .argument('<file>', 'a YAML file on this computer')
    .option('--as <name>', 'another name on the leader')
    .action(async (file: string, options: ConnectionOptions & { readonly as?: string }) => {
      const filename = options.as ?? basename(file);
      const body = { body: await readText(file) };
      const params = { filename };
      const saved = await connect(options).saveExperimentProfile({ params, query: { create: true }, body });
      if (options.json) return printJson(io, saved);
      for (const diagnostic of saved.diagnostics ?? [])
        io.stderr.write(`${printable(`${file}:${diagnosticText(diagnostic)}`)}\n`);
      io.stdout.write(`${printable(filename)} is saved. Its former text, if there was one, is in the history.\n`);
    });
}
