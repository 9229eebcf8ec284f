import { randomInt } from 'node:crypto';
import type { FoundLeader, MachineFacts, MachineRole, Outputs, SetupChoices } from '@lcs/cluster';
import { printable } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';

export interface SetupOptions {
  readonly role?: MachineRole;
  readonly leader?: string;
  readonly code?: string;
  readonly release?: true;
  readonly name?: string;
  readonly simulated?: true;
  readonly boardVersion?: string;
  readonly outputs?: Outputs;
  readonly accessPoint?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Without `ask` nobody answers: options must say everything. */
export interface Person {
  readonly ask: ((prompt: string) => Promise<string>) | undefined;
  readonly hiddenInput: ProgramIo['hiddenInput'];
  say(line: string): void;
}

const missing = (what: string, option: string) =>
  new CommandFailure({
    error: `${what} is not known.`,
    cause: 'There is no terminal on which this program could ask, or --yes forbids it.',
    remediation: `Add the option ${option}.`,
  });

/** Asks until the answer is one of these words; an empty one is the first of them. */
async function choose<Word extends string>(person: Person, question: string, words: readonly Word[]): Promise<Word> {
  const [usual] = words;
  for (;;) {
    const answer = (await person.ask?.(`${question} (${words.join(', ')}) [${usual}]: `))?.trim() ?? '';
    const found = answer === '' ? usual : words.find((word) => word === answer.toLowerCase());
    if (found !== undefined) return found;
    person.say(`Enter one of ${words.join(', ')}.`);
  }
}

async function askText(person: Person, question: string, usual: string): Promise<string> {
  const answer = (await person.ask?.(`${question}${usual === '' ? '' : ` [${usual}]`}: `))?.trim() ?? '';
  return answer === '' ? usual : answer;
}

/** A yes, unless the person says no. */
export async function confirmed(person: Person, question: string): Promise<boolean> {
  return (await choose(person, question, ['yes', 'no'])) === 'yes';
}

type Cluster = typeof import('@lcs/cluster');

/** What the person has decided, by options, by answers, or before. @throws CommandFailure */
export async function setupChoices(
  cluster: Cluster,
  facts: MachineFacts,
  options: SetupOptions,
  person: Person,
  findLeaders: () => Promise<readonly FoundLeader[] | undefined>,
): Promise<SetupChoices> {
  const role = await chosenRole(cluster, facts, options, person);
  const words = facts.unitOptions?.words ?? [];
  const before = (option: string): string | undefined => cluster.optionValue(words, option);
  const isUnit = cluster.roleHas(role, 'unit');
  const isSimulated = isUnit && (await simulates(facts, options, person, before('--board') === 'simulated'));
  const leaderUrl =
    role === 'unit' ? await chosenLeader(cluster, options, person, before('--leader'), findLeaders) : undefined;
  const isMember = !options.release && cluster.isEnrolled(facts.enrolment, facts.boundLeader);
  const code = isUnit ? await chosenCode(options, person, role === 'unit' && !isMember) : undefined;
  const unitName = isUnit ? await chosenName(cluster, facts, options, person, before('--name')) : undefined;
  return {
    role,
    isSimulated,
    ...(leaderUrl !== undefined && { leaderUrl }),
    ...(code !== undefined && { code: cluster.normalisedCode(code) }),
    ...(options.release && { isReleased: true }),
    ...(unitName !== undefined && { unitName }),
    ...(options.boardVersion !== undefined && { boardVersion: options.boardVersion }),
    ...(options.outputs !== undefined && { outputs: options.outputs }),
    ...(options.accessPoint !== undefined && { accessPoint: { name: options.accessPoint } }),
  };
}

async function chosenRole(
  cluster: Cluster,
  facts: MachineFacts,
  { role }: SetupOptions,
  person: Person,
): Promise<MachineRole> {
  if (role !== undefined) return role;
  const installed = {
    leader: facts.services['lcs-leader'].isInstalled,
    unit: facts.services['lcs-unit'].isInstalled,
  };
  const usual =
    cluster.roleOf(facts) ??
    (installed.leader ? (installed.unit ? 'both' : 'leader') : installed.unit ? 'unit' : undefined);
  if (person.ask === undefined) {
    if (usual === undefined) throw missing('The role of this machine', '--role leader, --role unit or --role both');
    return usual;
  }
  const others = cluster.machineRoles.filter((each) => each !== usual);
  return choose(person, 'What is this machine?', usual === undefined ? others : [usual, ...others]);
}

async function simulates(
  { board }: MachineFacts,
  { simulated, boardVersion }: SetupOptions,
  person: Person,
  wasSimulated: boolean,
): Promise<boolean> {
  if (simulated) return true;
  if (boardVersion !== undefined || board !== undefined) return false;
  if (wasSimulated || person.ask === undefined) return wasSimulated;
  return confirmed(person, 'No board was found. Simulate one, to try things out?');
}

async function chosenLeader(
  cluster: Cluster,
  { leader }: SetupOptions,
  person: Person,
  before: string | undefined,
  findLeaders: () => Promise<readonly FoundLeader[] | undefined>,
): Promise<string> {
  if (leader !== undefined) return addressOf(cluster, leader);
  if (before !== undefined && person.ask === undefined) return before;
  const found = (await findLeaders()) ?? [];
  const [only] = found;
  if (person.ask === undefined) {
    if (only !== undefined && found.length === 1) return cluster.leaderUrl(only);
    if (found.length > 1)
      throw missing(
        `Which of the leaders ${found.map(({ host }) => host).join(', ')} this unit belongs to`,
        '--leader ADDRESS',
      );
    throw missing('The leader (none announces itself in this network)', '--leader ADDRESS');
  }
  for (const each of found) {
    const { host, port, addresses, version = 'unknown version', fingerprint } = each;
    person.say(
      `Found: ${host}:${port} (${addresses.join(', ')}), ${version}${fingerprint === undefined ? '' : `, certificate authority ${fingerprint}`}`,
    );
  }
  if (found.length === 0) person.say('No leader announces itself in this network.');
  const usual = before ?? (only === undefined ? '' : cluster.leaderUrl(only));
  return addressOf(cluster, await askText(person, 'Address of the leader', usual));
}

/** @throws CommandFailure */
function addressOf(cluster: Cluster, text: string): string {
  const url = cluster.leaderAddress(text);
  if (url !== undefined) return url;
  throw new CommandFailure({
    error: `${JSON.stringify(text)} is not the address of a leader.`,
    cause: 'It must be a host name, an IP address or a URL.',
    remediation: 'Enter it as leader.local, 192.168.1.5:4999 or https://leader.local:4999.',
  });
}

/** Without a code an administrator lets the unit join. */
async function chosenCode({ code }: SetupOptions, person: Person, isNeeded: boolean): Promise<string | undefined> {
  if (code !== undefined || person.ask === undefined || !isNeeded) return code;
  const answer = await askText(
    person,
    'One-time code of the leader (lcs units code there); empty: it approves this unit',
    '',
  );
  return answer === '' ? undefined : answer;
}

async function chosenName(
  cluster: Cluster,
  facts: MachineFacts,
  { name }: SetupOptions,
  person: Person,
  before: string | undefined,
): Promise<string> {
  const usual = name ?? before ?? cluster.usualUnitName(facts.hostName);
  return name !== undefined || person.ask === undefined ? usual : askText(person, 'Name of this unit', usual);
}

/** Without characters that are mistaken for each other. */
const passphraseLetters = 'abcdefghjkmnpqrstuvwxyz23456789';
const passphraseLength = 12;

/** The passphrase of a new access point: of the environment, typed, or drawn, and shown once. */
export async function newPassphrase(io: ProgramIo, person: Person): Promise<string> {
  const given = io.environment.LCS_ACCESS_POINT_PASSPHRASE;
  if (given !== undefined) return given;
  const typed = person.ask && (await person.hiddenInput?.('Passphrase of the access point (empty: one is drawn): '));
  if (typed !== undefined && typed !== '') return typed;
  const drawn = Array.from({ length: passphraseLength }, () => passphraseLetters[randomInt(passphraseLetters.length)]);
  person.say(`Passphrase of the access point, shown once: ${printable(drawn.join(''))}`);
  return drawn.join('');
}
