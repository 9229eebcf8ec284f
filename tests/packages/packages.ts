import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Machine, until } from './machine.ts';

export const repository = path.dirname(path.dirname(import.meta.dirname));
/** Fresh Debians, made once. */
export const cache = path.join(repository, 'node_modules/.cache/debian');
export const suite = process.env.LCS_DEBIAN ?? 'trixie';
/** A fresh Debian may have to be fetched, and packages built. */
export const prepareLimitMs = 900_000;

/** Builds the packages of these versions for an architecture into a folder. */
export function buildPackages(folder: string, architecture: 'amd64' | 'arm64', ...versions: readonly string[]): void {
  for (const version of versions) {
    const args = ['--architecture', architecture, '--version', version, '--compression', 'none', '--out', folder];
    execFileSync(process.execPath, [path.join(repository, 'build/package/main.ts'), ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

/** The three packages of a version in the folder `/debs`: program, leader, unit. */
export const debs = (version: string, architecture = 'amd64'): readonly string[] =>
  [`lcs_${version}_${architecture}`, `lcs-leader_${version}_all`, `lcs-unit_${version}_all`].map(
    (name) => `/debs/${name}.deb`,
  );

/** A command of an installed package that loads its I2C addon, and prints the fault of a bus that there is not: ENOENT. */
export const openMissingBus = [
  '/usr/lib/lcs/bin/node',
  '-e',
  `try {
    require('/usr/lib/lcs/packages/cli/node_modules/i2c-bus').openSync(99).i2cFuncsSync();
  } catch (error) {
    console.log(error.code);
  }`,
] as const;

/** A unit of a machine that has both services, on this port, joins with a code, and is assigned to the experiment `trial`. */
export async function joinUnit(machine: Machine, port: number, options = ''): Promise<void> {
  const lcs = (...words: readonly string[]): Promise<string> => machine.run('lcs', ...words);
  machine.runWith('a long password 7\n', 'lcs', 'people', 'add', 'ada', '--password-stdin');
  const { code }: { code: string } = JSON.parse(await lcs('units', 'code', '--json'));
  const text = `--leader https://127.0.0.1:4999 --name rx1 --board simulated --port ${port} --code ${code} ${options}`;
  writeFileSync(path.join(machine.root, 'etc/lcs/unit.env'), `LCS_UNIT_OPTIONS="${text.trim()}"\n`);
  await machine.run('systemctl', 'start', 'lcs-unit');
  await until('the unit has joined', async () => (await lcs('units')).includes('lcs units add rx1') || undefined);
  await lcs('units', 'add', 'rx1', '--model', 'reactor_40ml:1.5');
  await lcs('experiments', 'create', 'trial');
  await lcs('units', 'assign', 'rx1', 'trial');
  await until('it is online', async () => /rx1 +online/.test(await lcs('units')) || undefined);
}

export const property = (machine: Machine, service: string, name: string): Promise<string> =>
  machine.run('systemctl', 'show', service, '-p', name, '--value');

/** Processes of a service, by their numbers in the machine. */
export async function processesOf(machine: Machine, service: string): Promise<readonly number[]> {
  const group = await property(machine, service, 'ControlGroup');
  const files = ['/sys/fs/cgroup', '/sys/fs/cgroup/systemd'].map((root) => `${root}${group}/cgroup.procs`);
  const numbers = await machine.run('sh', '-c', files.map((file) => `cat ${file} 2>/dev/null`).join(' || '));
  return numbers.split('\n').filter(Boolean).map(Number);
}
