import type { Log } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type BlockDevice, type Host, HostCommandFailed, type ServiceStatus } from './host.ts';
import {
  accessPointMarker,
  diskSpaceAt,
  exists,
  ipv4AddressesOfMachine,
  loadOfMachine,
  memoryOfMachine,
} from './read-outs.ts';
import { type CommandResult, type RunCommand, runCommand } from './run-command.ts';

export interface LinuxHostOptions {
  readonly log: Log;
  /** The unit of the service manager that runs this program, such as `lcs.service`. */
  readonly service: string;
  readonly run?: RunCommand;
  readonly accessPointMarker?: string;
}

const Text = Type.Union([Type.String(), Type.Null()]);
const Listed = Type.Object({
  name: Type.String(),
  pkname: Text,
  label: Text,
  uuid: Text,
  fstype: Text,
  size: Type.Union([Type.Integer(), Type.Null()]),
  mountpoints: Type.Array(Text),
  rm: Type.Boolean(),
  /** The connection of a whole drive. */
  tran: Text,
  type: Type.String(),
});
const Listing = Type.Object({
  blockdevices: Type.Array(Type.Object({ ...Listed.properties, children: Type.Optional(Type.Array(Type.Unknown())) })),
});

const columns = 'NAME,PKNAME,LABEL,UUID,FSTYPE,SIZE,MOUNTPOINTS,RM,TRAN,TYPE';

/**
 * Whether a drive is removable. The hotplug flag of lsblk is not usable: it includes the SD card that a Raspberry Pi boots from.
 */
const isPluggable = ({ rm, tran }: Type.Static<typeof Listed>): boolean => rm || tran === 'usb';

const toDevice = (listed: Type.Static<typeof Listed>, drive: Type.Static<typeof Listed>): BlockDevice => ({
  device: listed.name,
  parentDevice: listed.pkname,
  label: listed.label || null,
  uuid: listed.uuid || null,
  fileSystem: listed.fstype || null,
  sizeBytes: listed.size ?? 0,
  mountpoints: listed.mountpoints.filter((mountpoint) => mountpoint !== null),
  isRemovable: isPluggable(listed) || isPluggable(drive),
});

/** Mount options for removable drives: no programs, devices or set-uid files. */
const mountOptions = (fileSystem: string, { uid, gid }: { readonly uid: number; readonly gid: number }): string => {
  const common = 'rw,nosuid,nodev,noexec';
  return fileSystem === 'ext4' ? common : `${common},uid=${uid},gid=${gid},umask=002`;
};

/** A Linux machine with systemd that this program may control. Every command has fixed arguments and no shell. */
export class LinuxHost implements Host {
  readonly refusal = undefined;
  readonly #options: LinuxHostOptions;
  readonly #run: RunCommand;

  constructor(options: LinuxHostOptions) {
    this.#options = options;
    this.#run = options.run ?? runCommand;
  }

  async reboot(): Promise<void> {
    await this.#must('systemctl', ['reboot']);
  }

  async shutDown(): Promise<void> {
    await this.#must('systemctl', ['poweroff']);
  }

  async setClock(utcMs: number): Promise<void> {
    await this.#must('date', ['--utc', `--set=${new Date(utcMs).toISOString()}`]);
  }

  async restartProgram(): Promise<void> {
    await this.#must('systemctl', ['restart', '--no-block', this.#options.service]);
  }

  async mount({ device, fileSystem }: BlockDevice, folder: string): Promise<void> {
    if (fileSystem === null) throw new HostCommandFailed('mount', `${device} has no file system.`);
    const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    await this.#must('mount', ['-t', fileSystem, '-o', mountOptions(fileSystem, owner), device, folder]);
  }

  async unmount(_: BlockDevice, folder: string): Promise<void> {
    await this.#must('sync', ['--file-system', folder]);
    await this.#must('umount', [folder]);
  }

  async powerOff({ device, parentDevice }: BlockDevice): Promise<void> {
    const drive = parentDevice ?? device;
    try {
      await this.#must('udisksctl', ['power-off', '--no-user-interaction', '--block-device', drive]);
    } catch (error) {
      // The drive is unmounted and may be removed; some drives cannot be powered off.
      this.#options.log.info('A drive could not be powered off', { drive, error: String(error) });
    }
  }

  async programStatus(): Promise<ServiceStatus> {
    const { service } = this.#options;
    const { exitCode, stdout } = await this.#try('systemctl', ['is-active', service]);
    return { service, isActive: exitCode === 0, statusText: stdout.trim() || 'unknown' };
  }

  async removableDevices(): Promise<readonly BlockDevice[]> {
    const { stdout } = await this.#must('lsblk', ['--json', '--bytes', '--paths', '--output', columns]);
    const listing: unknown = JSON.parse(stdout);
    if (!Value.Check(Listing, listing)) throw new HostCommandFailed('lsblk', 'Its output is not valid.');
    return listing.blockdevices
      .flatMap(({ children = [], ...drive }) => {
        const parts = children.filter((child) => Value.Check(Listed, child));
        return (parts.length > 0 ? parts : [drive]).map((one) => toDevice(one, drive));
      })
      .filter(({ isRemovable, fileSystem, parentDevice }) => isRemovable && (fileSystem ?? parentDevice) !== null);
  }

  diskSpace = diskSpaceAt;
  memory = memoryOfMachine;
  load = loadOfMachine;
  ipv4Addresses = ipv4AddressesOfMachine;

  isAccessPoint(): Promise<boolean> {
    return exists(this.#options.accessPointMarker ?? accessPointMarker);
  }

  async #must(file: string, args: readonly string[]): Promise<CommandResult> {
    this.#options.log.info('A command of the system is run', { file, args });
    const result = await this.#try(file, args);
    if (result.exitCode === 0) return result;
    throw new HostCommandFailed(file, result.stderr.trim() || `It ended with ${result.exitCode}.`);
  }

  async #try(file: string, args: readonly string[]): Promise<CommandResult> {
    try {
      return await this.#run(file, args);
    } catch (error) {
      throw new HostCommandFailed(file, error instanceof Error ? error.message : String(error));
    }
  }
}
