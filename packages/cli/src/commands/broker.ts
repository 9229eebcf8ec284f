import { resolve } from 'node:path';
import { reasonOf, writeFileDurably } from '@lcs/platform';
import type { Command } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface SecurityOptions extends ConnectionOptions {
  readonly file?: string;
}

/** The file has hashes of secrets, and Mosquitto must be able to read it: its owner only. */
const fileMode = 0o600;

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFileDurably(path, text, { mode: fileMode });
  } catch (error) {
    throw new CommandFailure({
      error: `${path} cannot be written.`,
      cause: reasonOf(error),
      remediation: 'Name another file with --file, in an existing folder that you may write.',
    });
  }
}

/** `lcs broker dynamic-security`: accounts and rules for an external Mosquitto. */
export function addBrokerCommand(program: Command, io: ProgramIo): void {
  const broker = program.command('broker').description('an external MQTT broker');
  const security = broker.command('dynamic-security');
  withConnection(
    security.description('the accounts and rules of the leader for Mosquitto (dynamic-security plugin)'),
    io,
  )
    .option('--file <path>', 'write it to this file, readable by its owner only; without it: to standard output')
    .action(async (options: SecurityOptions) => {
      const made = await connect(options).makeBrokerSecurity();
      if (options.json && options.file === undefined) return printJson(io, made);
      const { dynamic_security: content, omitted } = made;
      const text = `${JSON.stringify(content, null, 2)}\n`;
      for (const { account, cause } of omitted) io.stderr.write(`${printable(`Without ${account}: ${cause}`)}\n`);
      if (options.file === undefined) {
        io.stdout.write(text);
        return;
      }
      const path = resolve(options.file);
      await write(path, text);
      if (options.json) return printJson(io, { file: path, accounts: content.clients.length, omitted });
      io.stdout.write(
        `${content.clients.length} accounts in ${path}. Restart Mosquitto: it reads the file at its start.\n`,
      );
    });
}
