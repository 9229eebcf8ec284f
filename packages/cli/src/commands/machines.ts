import type { JoinRequest } from '@lcs/contract';
import type { Command } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

interface CodeOptions extends ConnectionOptions {
  readonly name?: string;
  readonly void?: string;
  readonly list?: true;
}

/** `lcs units code`: makes, lists and voids one-time codes. */
function addCode(units: Command, io: ProgramIo): void {
  withConnection(units.command('code').description('make a one-time code, with which a unit joins'), io)
    .option('--name <unit>', 'valid for a unit of this name only')
    .option('--list', 'list the codes that can be used')
    .option('--void <id>', 'void a code')
    .action(async (options: CodeOptions) => {
      const leader = connect(options);
      if (options.void !== undefined) {
        await leader.voidEnrolmentCode({ params: { code_id: options.void } });
        return;
      }
      if (options.list) {
        const codes = await leader.listEnrolmentCodes();
        if (options.json) return printJson(io, codes);
        const rows = codes.map((code) => [code.code_id, code.reactor_unit ?? 'any', code.expires_at]);
        return printTable(io, ['ID', 'FOR', 'UNTIL'], rows, 'No code is valid. Make one: lcs units code');
      }
      const made = await leader.createEnrolmentCode({ body: { reactor_unit: options.name ?? null } });
      if (options.json) return printJson(io, made);
      const name = options.name === undefined ? '' : ` --name ${options.name}`;
      const url = await addressForUnits(leader, options);
      const host = url.startsWith('https:') ? ' --host 0.0.0.0' : '';
      io.stdout.write(`${made.code}   (valid once, until ${made.expires_at})\n`);
      io.stdout.write(`On the unit: lcs unit${name}${host} --leader ${url} --code ${made.code}\n`);
    });
}

/** Through the socket, the leader itself knows best where other machines reach it. */
async function addressForUnits(leader: Connected, { socket, url }: ConnectionOptions): Promise<string> {
  if (socket === undefined) return url;
  const [{ reactor_unit: name }, units] = await Promise.all([leader.getHealth(), leader.listUnits()]);
  return units.find(({ reactor_unit }) => reactor_unit === name)?.url ?? url;
}

const row = ({ reactor_unit, address, fingerprint, replaces, is_approved }: JoinRequest): string[] => [
  reactor_unit,
  address,
  fingerprint,
  [replaces ? 'replaces another machine' : '', is_approved ? 'approved' : ''].filter((text) => text !== '').join(', '),
];

const askTo =
  'Compare the fingerprint with the one in the log of the unit: lcs units approve <unit>, or refuse <unit>.\n';

/** `lcs units joins | approve | refuse`: machines that want to join without a code. */
function addJoins(units: Command, io: ProgramIo): void {
  withConnection(units.command('joins').description('machines that want to join without a one-time code'), io).action(
    async (options: ConnectionOptions) => {
      const joins = await connect(options).listJoinRequests();
      if (options.json) return printJson(io, joins);
      printTable(io, ['UNIT', 'ADDRESS', 'FINGERPRINT', ''], joins.map(row), 'No machine asks to join.');
      if (joins.length > 0) io.stdout.write(askTo);
    },
  );
  const joinOf = async (leader: ReturnType<typeof connect>, unit: string): Promise<string> => {
    const joins = (await leader.listJoinRequests()).filter(({ reactor_unit }) => reactor_unit === unit);
    const [join] = joins;
    if (join !== undefined && joins.length === 1) return join.join_id;
    throw new CommandFailure({
      error: join === undefined ? `No machine wants to join as ${unit}.` : `Several machines want to join as ${unit}.`,
      cause: join === undefined ? 'The list of requests does not contain it.' : 'Only one of them can have this name.',
      remediation: 'Run `lcs units joins`, and compare the fingerprints. Decide between several in the web UI.',
    });
  };
  withConnection(units.command('approve').description('let a machine join; compare its fingerprint first'), io)
    .argument('<unit>', 'the name that it wants')
    .action(async (unit: string, options: ConnectionOptions) => {
      const leader = connect(options);
      await leader.approveJoinRequest({ params: { join_id: await joinOf(leader, unit) } });
      if (!options.json) io.stdout.write(`${unit} joins within a few seconds.\n`);
    });
  withConnection(units.command('refuse').description('refuse a machine that wants to join'), io)
    .argument('<unit>', 'the name that it wants')
    .action(async (unit: string, options: ConnectionOptions) => {
      const leader = connect(options);
      await leader.refuseJoinRequest({ params: { join_id: await joinOf(leader, unit) } });
    });
}

/** `lcs units revoke | rotate`: credentials of units. */
function addCredentials(units: Command, io: ProgramIo): void {
  withConnection(
    units.command('revoke').description('refuse a machine from now on: its credentials are no longer valid'),
    io,
  )
    .argument('<unit>', 'such as rx07')
    .action(async (unit: string, options: ConnectionOptions) => {
      await connect(options).revokeCredentials({ params: { reactor_unit: unit } });
      if (options.json) return;
      io.stdout.write(
        `The leader refuses the machine of ${unit}. Its jobs go on: stop them on its machine with lcs stop --all.\n`,
      );
      io.stdout.write('It joins again with a one-time code or an approval.\n');
    });
  withConnection(units.command('rotate').description('issue new credentials to a unit'), io)
    .argument('<unit>', 'such as rx07')
    .action(async (unit: string, options: ConnectionOptions) => {
      await connect(options).rotateCredentials({ params: { reactor_unit: unit } });
    });
}

/** Enrolment and credentials of machines. */
export function addMachineCommands(units: Command, io: ProgramIo): void {
  addCode(units, io);
  addJoins(units, io);
  addCredentials(units, io);
}
