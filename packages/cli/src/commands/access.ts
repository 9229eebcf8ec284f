import { hostname } from 'node:os';
import { ApiError, isErrorBody, type Person, ProblemError, type Role, type Token } from '@lcs/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Connected, type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { InputLines } from '../input-lines.ts';
import { printable, printJson, printTable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { savedToken, saveToken } from '../saved-tokens.ts';
import { unknownAuthority } from '../server-authority.ts';

const roles: readonly Role[] = ['viewer', 'operator', 'administrator'];
const loginDays = 90;

interface PasswordOptions extends ConnectionOptions {
  readonly passwordStdin?: true;
}

const withPassword = (command: Command): Command =>
  command.option('--password-stdin', 'read the password from the standard input instead of the terminal');

const print = (io: ProgramIo, text: string): void => {
  io.stdout.write(`${printable(text)}\n`);
};

/** The password that the user types, twice for a new one. @throws CommandFailure */
async function readPassword(io: ProgramIo, { passwordStdin }: PasswordOptions, isNew: boolean): Promise<string> {
  if (passwordStdin) {
    const lines = new InputLines(io.input?.() ?? (async function* none() {})());
    const line = await lines.take();
    await lines.close();
    return line ?? '';
  }
  if (io.hiddenInput === undefined)
    throw new CommandFailure({
      error: 'The password cannot be read.',
      cause: 'There is no terminal.',
      remediation: 'Use --password-stdin and send the password to the standard input.',
    });
  const password = await io.hiddenInput('Password: ');
  if (isNew && (await io.hiddenInput('The same password again: ')) !== password)
    throw new CommandFailure({
      error: 'The two passwords differ.',
      cause: 'The second one is not the same as the first.',
      remediation: 'Run the command again.',
    });
  return password;
}

/** The headers of a new session. */
async function signedIn(options: ConnectionOptions, name: string, password: string): Promise<Record<string, string>> {
  const anonymous = connect(options, {});
  const response = await anonymous.fetch('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (!response.ok || cookie === undefined) {
    const body: unknown = await response.json();
    if (isErrorBody(body)) throw new ProblemError('answer', body);
    throw new Error(`The leader returned ${response.status} without a session.`);
  }
  const { csrf_token: csrfToken } = await connect(options, { cookie }).getSession();
  return { cookie, 'x-csrf-token': csrfToken ?? '' };
}

const digitsOf = (fingerprint: string): string => fingerprint.toLowerCase().replaceAll(/[^0-9a-f]/g, '');

/**
 * The leader's own authority, once a person has compared its fingerprint; undefined: this machine knows the issuer of the certificate.
 * @throws CommandFailure
 */
async function acceptedAuthority(
  io: ProgramIo,
  { url, passwordStdin, fingerprint }: PasswordOptions & { readonly fingerprint?: string },
): Promise<string | undefined> {
  const authority = await unknownAuthority(url);
  if (authority === undefined) return undefined;
  const cause = `This machine does not know who has issued it. SHA-256 of the authority: ${authority.fingerprint}`;
  const refused = (error: string, remediation: string) => new CommandFailure({ error, cause, remediation });
  if (fingerprint !== undefined) {
    if (digitsOf(fingerprint) === digitsOf(authority.fingerprint)) return authority.certificate;
    throw refused(
      'The certificate of the leader has another fingerprint.',
      'Somebody else may answer at this address: ask the person who runs the leader.',
    );
  }
  if (io.hiddenInput === undefined || passwordStdin)
    throw refused(
      'The certificate of the leader is not known.',
      'Compare it with lcs certificate on the machine of the leader, then use --fingerprint.',
    );
  io.stderr.write(`The certificate of ${url} is not known. ${cause}\n`);
  const answer = await io.hiddenInput('Does the leader show the same in its terminal? Type yes (it is not shown): ');
  if (answer.trim().toLowerCase() === 'yes') return authority.certificate;
  throw refused(
    'The certificate of the leader was not accepted.',
    'Run lcs certificate on the machine of the leader and compare.',
  );
}

/** `lcs login`: makes a token for this account and stores it. */
function addLogin(program: Command, io: ProgramIo): void {
  const command = program
    .command('login')
    .description(`sign in to a leader for ${loginDays} days, with a token of your own`)
    .option('--fingerprint <sha256>', 'of the certificate authority of the leader, as lcs leader shows it');
  withPassword(withConnection(command, io))
    .argument('<name>', 'your name')
    .action(async (name: string, given: PasswordOptions & { readonly fingerprint?: string }) => {
      const authority = await acceptedAuthority(io, given);
      // The session is that of a person, also on the machine of the leader.
      const { socket: _, ...options } = { ...given, ...(authority !== undefined && { authority }) };
      const session = connect(options, await signedIn(options, name, await readPassword(io, options, false)));
      const { permissions } = await session.getSession();
      const token = await session.createToken({
        body: { name: `lcs of ${name} on ${hostname()}`, permissions, days: loginDays },
      });
      await saveToken(io, session.baseUrl, {
        id: token.token_id,
        secret: token.secret,
        ...(options.authority !== undefined && { authority: options.authority }),
      });
      await session.signOut();
      print(io, `Signed in to ${session.baseUrl} as ${name}, until ${token.expires_at}.`);
    });
}

/** `lcs logout`: revokes the token of `lcs login` and removes it. */
function addLogout(program: Command, io: ProgramIo): void {
  withConnection(program.command('logout').description('sign out: revoke the token of lcs login'), io).action(
    async (options: ConnectionOptions) => {
      const leader = connect(options);
      const token = savedToken(io, leader.baseUrl);
      if (token === undefined) return print(io, `You are not signed in to ${leader.baseUrl}.`);
      await leader.revokeToken({ params: { token_id: token.id } }).catch((error: unknown) => {
        // It has ended or was revoked already.
        if (!isCode(error, 'token_not_found') && !isCode(error, 'not_signed_in')) throw error;
      });
      await saveToken(io, leader.baseUrl, undefined);
      print(io, `Signed out of ${leader.baseUrl}.`);
    },
  );
}

/** The person with this name. @throws ProblemError person_not_found */
async function personNamed(leader: Connected, name: string): Promise<Person> {
  const person = (await leader.listPeople()).find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (person === undefined) throw new ProblemError('answer', new ApiError('person_not_found', { person: name }).body);
  return person;
}

const row = ({ name, display_name, role, is_disabled, last_seen_at }: Person): string[] => [
  name,
  display_name,
  role,
  is_disabled ? 'disabled' : '',
  last_seen_at ?? 'never',
];

function addPeople(program: Command, io: ProgramIo): void {
  const people = program.command('people').description('people who may use the leader, and their roles');
  withConnection(people.command('list', { isDefault: true }).description('all people'), io).action(
    async (options: ConnectionOptions) => {
      const found = await connect(options).listPeople();
      if (options.json) return printJson(io, found);
      printTable(
        io,
        ['NAME', 'FULL NAME', 'ROLE', '', 'LAST SIGN-IN'],
        found.map(row),
        'No people yet: everybody on this machine may do everything. Create an administrator: lcs people add NAME',
      );
    },
  );
  addPerson(people, io);
  setPerson(people, io);
  withConnection(people.command('remove').description('delete a person with their sessions and tokens'), io)
    .argument('<name>')
    .action(async (name: string, options: ConnectionOptions) => {
      const leader = connect(options);
      const { person_id } = await personNamed(leader, name);
      await leader.deletePerson({ params: { person_id } });
      print(io, `${name} was deleted.`);
    });
}

/** `lcs people add` */
function addPerson(people: Command, io: ProgramIo): void {
  withPassword(
    withConnection(people.command('add').description('create a person; the first one is an administrator'), io),
  )
    .argument('<name>', 'for the sign-in')
    .option('--full-name <text>', 'as people know it')
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles))
    .action(async (name: string, options: PasswordOptions & { fullName?: string; role?: Role }) => {
      const leader = connect(options);
      const { kind } = await leader.getSession();
      const role = options.role ?? (kind === 'local' ? 'administrator' : 'viewer');
      const password = await readPassword(io, options, true);
      const display = options.fullName === undefined ? {} : { display_name: options.fullName };
      const person = await leader.createPerson({ body: { name, role, password, ...display } });
      if (options.json) return printJson(io, person);
      print(io, `${person.name} is a person of this leader, with the role ${person.role}.`);
      if (kind === 'local')
        print(io, `From now on every request needs a sign-in. For this command line: lcs login ${person.name}`);
    });
}

interface SetOptions {
  readonly fullName?: string;
  readonly role?: Role;
  readonly password?: true;
  readonly disable?: true;
  readonly enable?: true;
}

/** `lcs people set` */
function setPerson(people: Command, io: ProgramIo): void {
  withPassword(withConnection(people.command('set').description('change a person'), io))
    .argument('<name>')
    .option('--full-name <text>', 'as people know it')
    .addOption(new Option('--role <role>', 'what the person may do').choices(roles))
    .option('--password', 'a new password; ends all sessions of the person')
    .option('--disable', 'no sign-in, and the tokens of the person do not work')
    .option('--enable', 'allow the sign-in again')
    .action(async (name: string, options: PasswordOptions & SetOptions) => {
      const leader = connect(options);
      const { person_id } = await personNamed(leader, name);
      const isPasswordNew = options.password === true || options.passwordStdin === true;
      const person = await leader.updatePerson({
        params: { person_id },
        body: {
          ...(options.fullName !== undefined && { display_name: options.fullName }),
          ...(options.role !== undefined && { role: options.role }),
          ...(options.disable && { is_disabled: true }),
          ...(options.enable && { is_disabled: false }),
          ...(isPasswordNew && { password: await readPassword(io, options, true) }),
        },
      });
      if (options.json) return printJson(io, person);
      print(io, `${person.name}: ${person.role}${person.is_disabled ? ', disabled' : ''}.`);
    });
}

const daysOf = (text: string): number => {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 366) return days;
  throw new InvalidArgumentError('a whole number from 1 to 366.');
};

const limitsText = ({ experiments, units }: Token): string => [...(experiments ?? []), ...(units ?? [])].join(', ');

interface MakeOptions {
  readonly user: string;
  readonly permission: string[];
  readonly days: number;
  readonly experiment?: string[];
  readonly unit?: string[];
}

function addTokens(program: Command, io: ProgramIo): void {
  const tokens = program.command('tokens').description('tokens for programs');
  withConnection(
    tokens.command('list', { isDefault: true }).description('your tokens; as administrator all tokens'),
    io,
  ).action(async (options: ConnectionOptions) => {
    const found = await connect(options).listTokens();
    if (options.json) return printJson(io, found);
    const rows = found.map((token) => [
      ...[token.token_id, token.name, token.made_by, token.expires_at, token.last_used_at ?? 'never'],
      limitsText(token),
      token.permissions.join(' '),
    ]);
    printTable(
      io,
      ['ID', 'NAME', 'MADE BY', 'ENDS', 'LAST USED', 'ONLY', 'PERMISSIONS'],
      rows,
      'No tokens yet. Make one: lcs tokens make NAME --user PERSON --permission jobs.read',
    );
  });
  withPassword(withConnection(tokens.command('make').description('make a token; it is shown once'), io))
    .requiredOption('--user <name>', 'your name: a token is made with your password, not with another token')
    .argument('<name>', 'what the token is for')
    .requiredOption('--permission <permission...>', 'its permissions (docs/reference/permissions.md)')
    .option('--days <days>', 'until it ends', daysOf, loginDays)
    .option('--experiment <name...>', 'only for these experiments')
    .option('--unit <name...>', 'only for these units')
    .action(async (name: string, options: PasswordOptions & MakeOptions) => {
      const { user, permission: permissions, days, experiment: experiments, unit: units } = options;
      const session = connect(options, await signedIn(options, user, await readPassword(io, options, false)));
      const token = await session.createToken({
        body: { name, permissions, days, ...(experiments && { experiments }), ...(units && { units }) },
      });
      await session.signOut();
      if (options.json) return printJson(io, token);
      print(io, token.secret);
      io.stderr.write(
        `Programs send it as "Authorization: Bearer …", lcs reads it from LCS_TOKEN. It ends ${token.expires_at}.\n`,
      );
    });
  withConnection(tokens.command('revoke').description('revoke a token at once'), io)
    .argument('<id>', 'as lcs tokens list shows it')
    .action(async (id: string, options: ConnectionOptions) => {
      await connect(options).revokeToken({ params: { token_id: id } });
      print(io, 'The token was revoked.');
    });
}

const isCode = (error: unknown, code: string): boolean => error instanceof ProblemError && error.body.code === code;

/** Sign-in, people and tokens. */
export function addAccessCommands(program: Command, io: ProgramIo): void {
  addLogin(program, io);
  addLogout(program, io);
  addPeople(program, io);
  addTokens(program, io);
}
