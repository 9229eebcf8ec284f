import { type AuditEntry, type AuditQuery, callPath, isErrorBody, leaderApi, ProblemError } from '@lcs/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

const mostLines = 1_000;

interface ListOptions extends ConnectionOptions {
  readonly caller?: string;
  readonly operation?: string;
  readonly experiment?: string;
  readonly unit?: string;
  readonly kind?: NonNullable<AuditQuery['kind']>;
  readonly since?: string;
  readonly until?: string;
  readonly lines: number;
}

interface ExportOptions extends ConnectionOptions {
  readonly format: 'csv' | 'json';
  readonly since?: string;
  readonly until?: string;
}

const linesOf = (text: string): number => {
  const lines = Number(text);
  if (Number.isInteger(lines) && lines >= 1 && lines <= mostLines) return lines;
  throw new InvalidArgumentError(`a whole number from 1 to ${mostLines}.`);
};

const row = ({ timestamp, caller, address, method, path, status, code }: AuditEntry): string[] => [
  timestamp,
  caller,
  address,
  `${method} ${path}`,
  code === null ? String(status) : `${status} ${code}`,
];

/** `lcs audit`: who requested which change. */
export function addAuditCommand(program: Command, io: ProgramIo): void {
  const audit = program.command('audit').description('who requested which change, and with what result');
  withConnection(audit.command('list', { isDefault: true }).description('the newest entries, the newest first'), io)
    .option('--caller <name>', 'only those of this person or token')
    .option('--operation <operation>', 'only those of this operation, such as deleteExperiment')
    .option('--experiment <name>', 'only those that name this experiment')
    .option('--unit <name>', 'only those that name this unit')
    .addOption(new Option('--kind <kind>', 'only these').choices(['change', 'sign_in', 'refusal', 'failure']))
    .option('--since <time>', 'only those from this moment on (RFC 3339)')
    .option('--until <time>', 'only those before this moment')
    .option('--lines <number>', 'how many', linesOf, 50)
    .action(async (options: ListOptions) => {
      const { caller, operation, experiment, unit, kind, since, until, lines: limit } = options;
      const filters = { caller, operation, experiment, unit, kind, since, until };
      const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
      const entries = await connect(options).listAudit({ query: { limit, ...given } });
      if (options.json) return printJson(io, entries);
      printTable(io, ['TIME', 'CALLER', 'FROM', 'REQUEST', 'RESULT'], entries.map(row), 'No entries.');
    });
  withConnection(audit.command('export').description('all entries of a time as a file, oldest first'), io)
    .addOption(new Option('--format <format>', 'format of the file').choices(['csv', 'json']).default('csv'))
    .option('--since <time>', 'only those from this moment on (RFC 3339)')
    .option('--until <time>', 'only those before this moment')
    .action(async ({ format, since, until, ...connection }: ExportOptions) => {
      const query = { format, ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
      const response = await connect(connection).fetch(callPath(leaderApi.exportAudit, { query }));
      if (!response.ok || response.body === null) {
        const body: unknown = await response.json();
        if (isErrorBody(body)) throw new ProblemError('answer', body);
        throw new Error(`The leader returned ${response.status} without a reason.`);
      }
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) io.stdout.write(piece);
    });
  withConnection(audit.command('verify').description('verify that no entry was changed or removed'), io)
    .option('--expect <hash>', 'the last hash of an earlier verification: must still be part of the audit')
    .action(async (options: ConnectionOptions & { readonly expect?: string }) => {
      const { expect: expected } = options;
      const query = expected === undefined ? {} : { contains: expected };
      const result = await connect(options).verifyAudit({ query });
      if (options.json) printJson(io, result);
      const isKnown = result.contains !== false;
      if (!result.is_intact || !isKnown)
        throw new CommandFailure({
          error: 'The audit was manipulated.',
          cause: isKnown
            ? `Entry ${result.first_wrong} does not continue the chain of the ${result.entries} entries before it.`
            : 'The expected hash is not part of it: entries were removed.',
          remediation: 'Compare the store with a backup from before.',
        });
      if (options.json) return;
      io.stdout.write(`${result.entries} entries, none changed or removed.\nLast hash: ${result.last_hash}\n`);
      io.stdout.write(
        'Keep it in another place: lcs audit verify --expect HASH then also detects the removal of the newest entries.\n',
      );
    });
}
