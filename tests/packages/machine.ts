import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** What the packages depend on, so that they install without a network. */
const neededPackages =
  'adduser,avahi-daemon,chrony,dbus,gpiod,libatomic1,libnss-mdns,libstdc++6,openocd,systemd,udev,util-linux'.split(',');
const serviceManager = ['systemd-sysv'];

/** A fresh Debian in a folder, made once (debootstrap) and then copied: from a mirror of apt's own configuration. */
export function freshDebian(
  suite: string,
  cache: string,
  target: string,
  architecture: 'amd64' | 'arm64' = 'amd64',
): void {
  const base = path.join(cache, `${suite}-${architecture}`);
  if (!existsSync(base)) {
    mkdirSync(cache, { recursive: true });
    const fresh = `${base}.new-${process.pid}`;
    // No service manager runs in an emulator.
    const packages = architecture === 'arm64' ? neededPackages : [...neededPackages, ...serviceManager];
    const options = ['--variant=minbase', `--arch=${architecture}`, `--include=${packages.join(',')}`];
    execFileSync('debootstrap', [...options, suite, fresh, mirror()], { stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(fresh, base);
  }
  execFileSync('cp', ['-a', base, target]);
}

/** The mirror that this computer uses itself. */
function mirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const texts = [
    ...(existsSync('/etc/apt/sources.list') ? [readFileSync('/etc/apt/sources.list', 'utf8')] : []),
    ...readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8')),
  ];
  const found = /^(?:URIs: |deb (?:\[[^\]]*\] )?)(\S+)/m.exec(texts.join('\n'))?.[1];
  if (found === undefined) throw new Error('apt has no source of packages.');
  return found;
}

/** Where service managers have their control groups: on a computer with version 2 only, with both, or with version 1. */
const groupRoots = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'];

/**
 * systemd-nspawn in control groups of its own: their service managers would otherwise take the processes of several machines for those of
 * their own services.
 */
const inOwnGroups = `
  for root in ${groupRoots.join(' ')}; do
    [ -e $root/cgroup.procs ] || continue
    mkdir -p $root/$0
    echo $$ > $root/$0/cgroup.procs
  done
  exec systemd-nspawn "$@"`;

/** A running Debian with its service manager, without a network but its own loopback. */
export class Machine {
  readonly root: string;
  readonly #group: string;
  #container: ChildProcess | undefined;
  readonly #started: ChildProcess[] = [];
  #init = 0;

  constructor(root: string) {
    this.root = root;
    this.#group = `lcs-machine-${process.pid}-${path.basename(path.dirname(root))}`;
  }

  async boot(): Promise<void> {
    const options = ['--register=no', '--keep-unit', '--private-network', '--console=pipe', '--quiet'];
    const container = spawn('sh', ['-e', '-c', inOwnGroups, this.#group, ...options, '-D', this.root, '-b'], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    this.#container = container;
    this.#init = await until('the machine runs', () => {
      const children = readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8').trim().split(' ');
      // The container's own helper comes first, and ends.
      return Number(children.find((child) => nameOf(child) === 'systemd')) || undefined;
    });
    await until('its services are up', async () => {
      const state = await this.run('systemctl', 'is-system-running').catch((error: unknown) => String(error));
      return /running|degraded/.test(state) ? state : undefined;
    });
  }

  /** Runs a command in the machine; resolves to what it prints. Rejects when it fails. */
  async run(...command: readonly string[]): Promise<string> {
    const { stdout } = await runFile('nsenter', [...this.#inside, ...command], { maxBuffer: 64e6 });
    return stdout.trim();
  }

  /** Starts a command in the machine. */
  start(...command: readonly string[]): ChildProcess {
    const child = spawn('nsenter', [...this.#inside, ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#started.push(child);
    return child;
  }

  /** The number that a process of the machine has on this computer. */
  outerPid(pid: number): number {
    const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const found = numbers.find((outer) => {
      const inner = /^NSpid:.*\t(\d+)$/m.exec(textOf(`/proc/${outer}/status`))?.[1];
      return Number(inner) === pid && linkOf(`/proc/${outer}/ns/pid`) === linkOf(`/proc/${this.#init}/ns/pid`);
    });
    if (found === undefined) throw new Error(`The machine has no process ${pid}.`);
    return Number(found);
  }

  /** A small file as the machine sees it, also below what is mounted there. */
  read(file: string): string {
    return textOf(path.join(`/proc/${this.#init}/root`, file)).trim();
  }

  /** As `run`, with an input. */
  runWith(input: string, ...command: readonly string[]): string {
    return execFileSync('nsenter', [...this.#inside, ...command], { input, encoding: 'utf8' });
  }

  async stop(): Promise<void> {
    const container = this.#container;
    if (container === undefined || container.exitCode !== null) return;
    const ended = new Promise((resolve) => container.once('exit', resolve));
    // nsenter stops when its command is stopped, as everything is at a shutdown, and then does not notice the end of it.
    for (const child of this.#started) child.kill('SIGKILL');
    await this.run('systemctl', 'poweroff').catch(() => {});
    await ended;
    for (const root of groupRoots) removeGroups(path.join(root, this.#group));
  }

  get #inside(): readonly string[] {
    return ['-t', String(this.#init), '-m', '-u', '-i', '-n', '-p', '-C', '--'];
  }
}

/** A control group with those in it; their files go with them. */
function removeGroups(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroups(path.join(folder, entry.name));
  rmdirSync(folder);
}

const nameOf = (pid: string): string => (pid === '' ? '' : textOf(`/proc/${pid}/comm`).trim());

/** Empty when the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

/** An emulator on a busy computer needs some of it. */
const limitMs = 300_000;

/** Polls what happens in processes that send no event. @throws when it does not come within five minutes */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  everyMs = 200,
): Promise<T> {
  const giveUpMs = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > giveUpMs) throw new Error(`After five minutes it is not so that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
