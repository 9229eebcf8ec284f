import type { Change, Finding, MachineFacts, MachinePorts, MachineRole, Outputs, SetupChoices } from '@lcs/cluster';
import { ProblemError } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type Command, Option } from 'commander';
import { connect, nodeSocketIn } from '../connect.ts';
import { printable, printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { failOnProblems, mayChange, pathOnMachine, printFindings, thisMachine } from './machine.ts';
import { confirmed, newPassphrase, type Person, type SetupOptions, setupChoices } from './setup-choices.ts';

/** Told here so that other commands start without loading a cluster. */
const roles: readonly MachineRole[] = ['leader', 'unit', 'both'];
const outputs: readonly Outputs[] = ['lcs-outputs', 'pwm'];

/** What one change makes possible (the announcement of a leader that has started) is planned after it. */
const mostPasses = 10;

type Cluster = typeof import('@lcs/cluster');

function personAt(io: ProgramIo, { yes, json }: SetupOptions): Person {
  const isAsked = !yes && !json && io.ask !== undefined;
  return {
    ask: isAsked ? io.ask : undefined,
    hiddenInput: isAsked ? io.hiddenInput : undefined,
    say: (line) => (json ? io.stderr : io.stdout).write(`${printable(line)}\n`),
  };
}

/** @throws CommandFailure */
function expectRoot(io: ProgramIo): void {
  if (mayChange(io)) return;
  throw new CommandFailure({
    error: 'lcs setup needs root.',
    cause: 'It changes files of the system and starts services.',
    remediation: 'Run sudo lcs setup.',
  });
}

const isSame = (one: Change, other: Change): boolean => JSON.stringify(one) === JSON.stringify(other);

class Setup {
  readonly #cluster: Cluster;
  readonly #machine: MachinePorts;
  readonly #io: ProgramIo;
  readonly #options: SetupOptions;
  readonly #person: Person;
  readonly #done: Change[] = [];
  readonly #tried: Change[] = [];
  /** A program of the machine has failed. */
  #failure: CommandFailure | undefined;

  constructor(cluster: Cluster, machine: MachinePorts, io: ProgramIo, options: SetupOptions) {
    this.#cluster = cluster;
    this.#machine = machine;
    this.#io = io;
    this.#options = options;
    this.#person = personAt(io, options);
  }

  async run(): Promise<void> {
    const { readFacts, plan, refusalOf, setupNotes, unreadRefusal } = this.#cluster;
    const facts = await readFacts(this.#machine, this.#read());
    const unread = unreadRefusal(facts);
    if (unread !== undefined) throw new CommandFailure(unread);
    const findLeaders = async () =>
      (await readFacts(this.#machine, { searchesLeaders: true, isSimulated: true })).leaders;
    const chosen = await setupChoices(this.#cluster, facts, this.#options, this.#person, findLeaders);
    const choices = await this.#withPassphrase(facts, chosen);
    const refusal = refusalOf(facts, choices);
    if (refusal !== undefined) throw new CommandFailure(refusal);
    const planned = plan(facts, choices);
    const notes = setupNotes(facts, choices);
    this.#show(planned, notes);
    if (this.#options.dryRun) return this.#finishDry(choices, planned, notes);
    if (planned.length > 0 && !(await this.#mayBegin())) return this.#person.say('Nothing was changed.');
    await this.#apply(facts, choices);
    await this.#check(choices);
  }

  #read() {
    const { simulated, boardVersion } = this.#options;
    return { ...(simulated && { isSimulated: true }), ...(boardVersion !== undefined && { boardVersion }) };
  }

  /** One that is there keeps its passphrase, unless another one is given. */
  async #withPassphrase(facts: MachineFacts, choices: SetupChoices): Promise<SetupChoices> {
    const { accessPoint } = choices;
    const isGiven = this.#io.environment.LCS_ACCESS_POINT_PASSPHRASE !== undefined;
    if (accessPoint === undefined || (facts.accessPoint === accessPoint.name && !isGiven)) return choices;
    const passphrase = this.#options.dryRun ? 'drawn at the run' : await newPassphrase(this.#io, this.#person);
    return { ...choices, accessPoint: { ...accessPoint, passphrase } };
  }

  #show(planned: readonly Change[], notes: readonly Finding[]): void {
    const heading = this.#options.dryRun ? 'Would change:' : 'To change:';
    this.#person.say(planned.length === 0 ? 'Nothing to change: this machine is set up already.' : heading);
    for (const change of planned) this.#person.say(`  ${this.#cluster.describeChange(change)}   (${change.purpose})`);
    for (const { message, remediation = '' } of notes) this.#person.say(`Note: ${message} ${remediation}`);
  }

  #finishDry({ role }: SetupChoices, planned: readonly Change[], findings: readonly Finding[]): void {
    if (this.#options.json) printJson(this.#io, { role, dry_run: true, changes: this.#shown(planned), findings });
  }

  #shown(changes: readonly Change[]) {
    return changes.map((change) => ({ what: this.#cluster.describeChange(change), purpose: change.purpose }));
  }

  async #mayBegin(): Promise<boolean> {
    if (this.#options.yes) return true;
    if (this.#person.ask !== undefined) return confirmed(this.#person, 'Make these changes?');
    throw new CommandFailure({
      error: 'Nothing was changed.',
      cause: 'There is no terminal on which these changes could be confirmed.',
      remediation: 'Add --yes, or --dry-run to see them only.',
    });
  }

  /** First the leader, which then gives the unit beside it a code. The access point comes later: it may end the session. */
  async #apply(facts: MachineFacts, { accessPoint: _, ...choices }: SetupChoices): Promise<void> {
    const isMember = !choices.isReleased && this.#cluster.isEnrolled(facts.enrolment, facts.boundLeader);
    if (choices.role !== 'both' || choices.code !== undefined || isMember) return this.#pass(choices);
    await this.#pass({ ...choices, role: 'leader' });
    if (this.#failure !== undefined) return;
    const code = await this.#codeOfLeader(choices.unitName);
    await this.#pass(code === undefined ? choices : { ...choices, code });
  }

  /** Until nothing is left; what was done once in this run is not repeated. */
  async #pass({ isReleased, ...choices }: SetupChoices): Promise<void> {
    const { applyChanges, ChangeFailed, describeChange, plan, readFacts } = this.#cluster;
    for (let pass = 0; pass < mostPasses; pass += 1) {
      // The leader that a unit has joined in this run is not left again.
      const isFirst = isReleased && !this.#isUnitChanged();
      const facts = await readFacts(this.#machine, this.#read());
      const planned = plan(facts, isFirst ? { ...choices, isReleased } : choices);
      const changes = planned.filter((change) => !this.#isTried(change) && (pass === 0 || !this.#isDone(change)));
      if (changes.length === 0) return;
      try {
        await applyChanges(changes, this.#machine, (change) => {
          this.#done.push(change);
          this.#person.say(`done: ${describeChange(change)}`);
        });
      } catch (error) {
        if (!(error instanceof ChangeFailed)) throw error;
        const failure = new CommandFailure({
          error: `lcs setup could not ${describeChange(error.change)}.`,
          cause: `The reason: ${error.reason}.`,
          remediation: 'Correct that, then run lcs setup again: what is done stays, and it continues there.',
        });
        if (error.change.kind === 'write') throw failure;
        // Why a service does not start is found by the self-check; what does not depend on it is done.
        this.#failure ??= failure;
        this.#tried.push(error.change);
        this.#person.say(`failed: ${describeChange(error.change)}: ${error.reason}`);
      }
    }
  }

  /** Whether this run has stopped or started the unit. */
  #isUnitChanged(): boolean {
    return this.#done.some((change) => change.kind === 'run' && change.args.includes('lcs-unit.service'));
  }

  #isDone(change: Change): boolean {
    return this.#done.some((done) => isSame(done, change));
  }

  #isTried(change: Change): boolean {
    return this.#tried.some((tried) => isSame(tried, change));
  }

  /** Through the socket of the leader on this machine; undefined: it does not answer, and an administrator lets the unit join. */
  async #codeOfLeader(name: string | undefined): Promise<string | undefined> {
    const dataDir = pathOnMachine(this.#io, this.#cluster.dataFolders.leader);
    const socket = nodeSocketIn(dataDir);
    if (socket === undefined) return undefined;
    try {
      const leader = connect({ url: '', dataDir, socket });
      return (await leader.createEnrolmentCode({ body: { reactor_unit: name ?? null } })).code;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#person.say(`The leader gives no code: ${error.body.error}`);
      return undefined;
    }
  }

  async #check(choices: SetupChoices): Promise<void> {
    const { checks, readFacts, roleHas, unitSettled } = this.#cluster;
    if (this.#failure === undefined && roleHas(choices.role, 'unit') && this.#isUnitChanged()) {
      this.#person.say('Waiting for the leader’s answer to the unit …');
      const settled = await unitSettled(this.#machine.run, realClock());
      // The code that was used is removed.
      const { accessPoint: _, ...others } = choices;
      if (settled.kind === 'enrolled') await this.#pass(others);
    }
    // The last change of all: it may end the connection of the person.
    if (this.#failure === undefined && choices.accessPoint !== undefined) await this.#pass(choices);
    const facts = await readFacts(this.#machine, { ...this.#read(), searchesLeaders: true });
    const findings = checks(facts, choices.role);
    if (this.#options.json)
      printJson(this.#io, { role: choices.role, dry_run: false, changes: this.#shown(this.#done), findings });
    else printFindings(this.#io, findings);
    if (this.#failure !== undefined) throw this.#failure;
    failOnProblems(findings);
    if (this.#done.length > 0) this.#showNext(facts, choices);
  }

  #showNext(facts: MachineFacts, { role }: SetupChoices): void {
    const { optionValue, roleHas } = this.#cluster;
    if (roleHas(role, 'leader'))
      this.#person.say(
        `The web UI: https://${facts.hostName}.local:${optionValue(facts.leaderOptions?.words ?? [], '--port') ?? '4999'}. The first person: lcs people add NAME.`,
      );
    const unit = optionValue(facts.unitOptions?.words ?? [], '--name');
    if (roleHas(role, 'unit') && unit !== undefined)
      this.#person.say(
        `On the leader, once: lcs units add ${unit} --model reactor_40ml:1.5, or Inventory in the web UI.`,
      );
  }
}

async function setup(io: ProgramIo, options: SetupOptions): Promise<void> {
  expectRoot(io);
  const cluster = await import('@lcs/cluster');
  await new Setup(cluster, await thisMachine(io), io, options).run();
}

/** `lcs setup`: makes this machine a leader, a unit, or both. */
export function addSetupCommand(program: Command, io: ProgramIo): void {
  program
    .command('setup')
    .description('set this machine up as a leader, a unit or both, and check it; may be run again')
    .addOption(new Option('--role <role>', 'what this machine is').choices(roles))
    .option('--leader <address>', 'the leader of this unit; default: the one that announces itself in the network')
    .option(
      '--code <code>',
      'one-time code of the leader, from `lcs units code`; without it an administrator lets the unit join',
    )
    .option('--release', 'leave the former leader first, to join another one')
    .option('--name <unit>', 'name of this unit; default: the host name')
    .option('--simulated', 'without a board: simulate one')
    .option('--board-version <version>', 'version of the board, instead of the one in its EEPROM: 1.0, 1.1 or 1.2')
    .addOption(
      new Option(
        '--outputs <overlay>',
        'what drives the outputs of the board; default: as config.txt has them, or lcs-outputs (they go off by themselves) where it fits',
      ).choices(outputs),
    )
    .option(
      '--access-point <name>',
      'make a wireless network of this name (passphrase: LCS_ACCESS_POINT_PASSPHRASE, or one is drawn)',
    )
    .option('--dry-run', 'print what would be changed, and change nothing')
    .option('--yes', 'ask nothing')
    .option('--json', 'print JSON for programs; asks nothing')
    .action((options: SetupOptions) => setup(io, options));
}
