import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Shares {
  /** Of one core. */
  readonly core?: number;
  readonly memoryBytes: number;
}

const groups = '/sys/fs/cgroup';
const periodUs = 100_000;

/**
 * A group of processes with a share of the computer, made by hand (cgroups(7), version 1 or 2): the service manager of a container
 * limits nothing where its computer has version 1.
 */
export class HeldGroup {
  /** Folder of the group in each hierarchy; version 2 has one. */
  readonly #folders: { readonly cpu: string; readonly cpuacct: string; readonly memory: string };
  readonly #isFirst: boolean;

  constructor(name: string, { core, memoryBytes }: Shares) {
    this.#isFirst = existsSync(path.join(groups, 'memory'));
    const folder = (controller: string): string => path.join(groups, this.#isFirst ? controller : '', name);
    this.#folders = { cpu: folder('cpu'), cpuacct: folder('cpuacct'), memory: folder('memory') };
    for (const each of Object.values(this.#folders)) mkdirSync(each, { recursive: true });
    const { cpu, memory } = this.#folders;
    if (this.#isFirst) {
      if (core !== undefined) writeFileSync(path.join(cpu, 'cpu.cfs_quota_us'), String(core * periodUs));
      writeFileSync(path.join(memory, 'memory.limit_in_bytes'), String(memoryBytes));
    } else {
      if (core !== undefined) writeFileSync(path.join(cpu, 'cpu.max'), `${core * periodUs} ${periodUs}`);
      writeFileSync(path.join(memory, 'memory.max'), String(memoryBytes));
      writeFileSync(path.join(memory, 'memory.swap.max'), '0');
    }
  }

  /** Moves a process, by its number on this computer; what it starts from then on is in the group too. */
  add(pid: number): void {
    for (const folder of new Set(Object.values(this.#folders)))
      writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
  }

  /** Only what it takes of the memory counts, where the hierarchies are separate. */
  addToMemory(pid: number): void {
    writeFileSync(path.join(this.#folders.memory, 'cgroup.procs'), String(pid));
  }

  /** What no file on a disk can give back, with what the kernel needs for it, in bytes. */
  get heldBytes(): number {
    const stat = this.#memory('memory.stat');
    const prefix = this.#isFirst ? 'total_' : '';
    const files = ['active_file', 'inactive_file'].map((name) =>
      Number(new RegExp(`^${prefix}${name} (\\d+)$`, 'm').exec(stat)?.[1]),
    );
    const used = Number(this.#memory(this.#isFirst ? 'memory.usage_in_bytes' : 'memory.current'));
    return files.reduce((rest, bytes) => rest - bytes, used);
  }

  get memoryLimitBytes(): number {
    return Number(this.#memory(this.#isFirst ? 'memory.limit_in_bytes' : 'memory.max'));
  }

  /** Processor time of its processes, of users and system. */
  get cpuSeconds(): number {
    if (this.#isFirst) return Number(readFileSync(path.join(this.#folders.cpuacct, 'cpuacct.usage'), 'utf8')) / 1e9;
    const text = readFileSync(path.join(this.#folders.cpu, 'cpu.stat'), 'utf8');
    return Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e6;
  }

  /** What no file can give back, in bytes: the most that was needed. */
  get anonymousBytes(): number {
    const name = this.#isFirst ? 'total_rss' : 'anon';
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(this.#memory('memory.stat'))?.[1]);
  }

  /** How many processes the kernel has ended for want of memory. */
  get kills(): number {
    const text = this.#memory(this.#isFirst ? 'memory.oom_control' : 'memory.events');
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1]);
  }

  /** When its processes have ended. */
  remove(): void {
    for (const folder of new Set(Object.values(this.#folders))) rmdirSync(folder);
  }

  #memory(file: string): string {
    return readFileSync(path.join(this.#folders.memory, file), 'utf8').trim();
  }
}
