import { constants } from 'node:fs';
import { access, mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { ApiError, type UsbArtifacts, type UsbMount, type UsbPartition, type UsbStatus } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import { type BlockDevice, type Host, HostCommandFailed } from './host.ts';
import type { UsbPlace, UsbTarget } from './usb-target.ts';

export interface UsbDrivesOptions {
  readonly host: Host;
  /** Drives are mounted below this folder; only those are managed by this node. */
  readonly root: string;
  /** Whether a file is a release that could be installed. */
  readonly isRelease: (path: string) => Promise<boolean>;
}

const fileSystems = ['exfat', 'vfat', 'ext4'];
const release = /^release_(\d{2}\.\d{1,2}\.\d+(?:-[0-9A-Za-z.]+)?)\.zip$/;
const packageFile = /^(.+)-(\d+\.\d+\.\d+[0-9A-Za-z.-]*)\.tgz$/;

/** Mount points of desktops and users; drives there are listed as mounted by others. */
const foldersOfPeople = ['/media', '/run/media', '/mnt'];

const clean = (text: string): string => text.replaceAll(/[^A-Za-z0-9_.-]/g, '-');

/** The name of a drive's mount folder. */
function folderOf({ device, uuid, label }: BlockDevice): string {
  if (uuid !== null) return clean(`usb-${uuid}`);
  const short = basename(device);
  return clean(label === null ? short : `${label}-${short}`);
}

const driveOf = ({ device, parentDevice }: BlockDevice): string => parentDevice ?? device;

const byDevice = (a: BlockDevice, b: BlockDevice): number => (a.device < b.device ? -1 : 1);

const isWritable = async (folder: string): Promise<boolean> => {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const shown = (device: string): string => (device.startsWith('/dev/') ? device : `/dev/${device}`);

const unusable = (cause: string) => new ApiError('usb_unusable', { cause });

/** The USB drives of this machine: list, mount, eject, and the installable files of the drive in use. */
export class UsbDrives implements UsbTarget {
  readonly #options: UsbDrivesOptions;

  constructor(options: UsbDrivesOptions) {
    this.#options = options;
  }

  /** Never throws: faults are part of the status. */
  async status(): Promise<UsbStatus> {
    let partitions: readonly UsbPartition[];
    try {
      partitions = await this.#partitions();
    } catch (error) {
      if (!(error instanceof HostCommandFailed)) throw error;
      return { status: 'error', partitions: [], active_mount: null, error: error.message };
    }
    const mounts = partitions.flatMap(mountOf);
    const active = mounts.find(({ writable }) => writable) ?? mounts[0] ?? null;
    return { status: stateOf(partitions, mounts), partitions: [...partitions], active_mount: active };
  }

  async place(): Promise<UsbPlace> {
    const { active_mount: active } = await this.status();
    if (active === null || !active.writable) throw new ApiError('usb_not_mounted', {});
    const { device, display_name, mountpoint, free_bytes } = active;
    return { device, displayName: display_name, mountpoint, freeBytes: free_bytes };
  }

  /** Mounts a drive, the only one unless `wanted` names it. @throws ApiError usb_unusable */
  async mount(wanted: string | null): Promise<UsbMount> {
    const { host } = this.#options;
    const device = choose(await this.#devices(), wanted);
    const folder = this.#folderFor(device);
    const isMounted = this.#managed(device) !== undefined;
    const reason = unsupportedReason(device);
    if (reason !== null) throw unusable(reason);
    if (!isMounted) {
      if (device.mountpoints.length > 0)
        throw unusable(`${device.device} is mounted at ${device.mountpoints.join(', ')}.`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await host.mount(device, folder);
    }
    const found = (await this.#partitions()).filter((one) => one.device === device.device).flatMap(mountOf)[0];
    if (found === undefined) throw unusable(`${device.device} is not mounted after mounting it.`);
    if (!found.writable) throw unusable(`${device.device} is not writable.`);
    return found;
  }

  /** Unmounts a managed drive. @throws ApiError usb_unusable */
  async eject(wanted: string | null): Promise<UsbPartition> {
    const { host } = this.#options;
    const devices = await this.#devices();
    const ours = devices.filter((one) => this.#managed(one) !== undefined);
    const device = choose(wanted === null ? ours : devices, wanted);
    const folder = this.#managed(device);
    if (folder === undefined) throw unusable(`${device.device} was not mounted by this node.`);
    const partition = await this.#toPartition(device);
    await host.unmount(device, folder);
    // The folder of a simulated drive is kept.
    if (folder === this.#folderFor(device)) await removeEmpty(folder);
    await host.powerOff(device);
    return partition;
  }

  /** The installable files of the drive in use. @throws ApiError usb_not_mounted */
  async artifacts(): Promise<UsbArtifacts> {
    const { active_mount: active, status } = await this.status();
    if (active === null || (status === 'multiple_present' && !active.writable))
      throw new ApiError('usb_not_mounted', {});
    const { mountpoint, writable, free_bytes } = active;
    const names = await filesOf(mountpoint);
    const updates: UsbArtifacts['updates'] = [];
    for (const name of names) {
      const version = release.exec(name)?.[1];
      if (version === undefined) continue;
      const path = join(mountpoint, name);
      updates.push({ path, version, verified: await this.#options.isRelease(path) });
    }
    const folder = join(mountpoint, 'reactor', 'plugins');
    const plugins = [
      ...names.flatMap((name) => pluginAt(mountpoint, name)),
      ...(await filesOf(folder)).flatMap((name) => pluginAt(folder, name)),
    ];
    return { mountpoint, updates, plugins, writable, free_bytes };
  }

  /** Whether a path, with links resolved, is on a mounted drive. */
  async holds(path: string): Promise<boolean> {
    const { partitions } = await this.status();
    return partitions.some(({ mountpoint }) => mountpoint !== undefined && path.startsWith(mountpoint + sep));
  }

  /** Excludes all partitions of drives that the machine uses, because ejecting one powers the drive off. */
  async #devices(): Promise<readonly BlockDevice[]> {
    const all = await this.#options.host.removableDevices();
    const inUse = all.filter(({ mountpoints }) => mountpoints.some((mountpoint) => !this.#isOfPeople(mountpoint)));
    const drives = new Set(inUse.map(driveOf));
    return all.filter((device) => !drives.has(driveOf(device))).sort(byDevice);
  }

  #isOfPeople = (mountpoint: string): boolean =>
    [this.#options.root, ...foldersOfPeople].some(
      (folder) => mountpoint === folder || mountpoint.startsWith(folder + sep),
    );

  async #partitions(): Promise<readonly UsbPartition[]> {
    return Promise.all((await this.#devices()).map((device) => this.#toPartition(device)));
  }

  #folderFor = (device: BlockDevice): string => join(this.#options.root, folderOf(device));

  #managed = ({ mountpoints }: BlockDevice): string | undefined =>
    mountpoints.find((mountpoint) => mountpoint.startsWith(this.#options.root + sep));

  async #toPartition(device: BlockDevice): Promise<UsbPartition> {
    const mountpoint = this.#managed(device);
    const short = basename(device.device);
    return {
      device: device.device,
      parent_device: device.parentDevice,
      label: device.label,
      uuid: device.uuid,
      fstype: device.fileSystem,
      size_bytes: device.sizeBytes,
      mountpoints: [...device.mountpoints],
      removable: device.isRemovable,
      mounted: device.mountpoints.length > 0,
      display_name: device.label ?? device.uuid ?? short,
      reactor_mountpoint: mountpoint ?? this.#folderFor(device),
      unsupported_reason: unsupportedReason(device),
      ...(mountpoint === undefined
        ? {}
        : {
            mountpoint,
            writable: await isWritable(mountpoint),
            free_bytes: (await this.#options.host.diskSpace(mountpoint)).availableBytes,
          }),
    };
  }
}

function mountOf(partition: UsbPartition): UsbMount[] {
  const { unsupported_reason: _, mountpoint, writable, free_bytes, ...common } = partition;
  if (mountpoint === undefined || writable === undefined || free_bytes === undefined) return [];
  return [{ ...common, mountpoint, writable, free_bytes }];
}

function stateOf(partitions: readonly UsbPartition[], mounts: readonly UsbMount[]): string {
  if (partitions.length === 0) return 'absent';
  if (mounts.length > 1) return 'multiple_present';
  if (mounts[0] !== undefined) return mounts[0].writable ? 'mounted' : 'mounted_readonly';
  if (partitions.length > 1) return 'multiple_present';
  return partitions[0]?.unsupported_reason === null ? 'present_unmounted' : 'unsupported';
}

const unsupportedReason = ({ fileSystem }: BlockDevice): string | null =>
  fileSystem !== null && fileSystems.includes(fileSystem)
    ? null
    : `Its file system is ${fileSystem ?? 'unknown'}; ${fileSystems.join(', ')} can be used.`;

function choose(devices: readonly BlockDevice[], wanted: string | null): BlockDevice {
  if (wanted !== null) {
    const found = devices.find(({ device }) => device === shown(wanted));
    if (found === undefined) throw unusable(`There is no removable drive at ${shown(wanted)}.`);
    return found;
  }
  const [only, ...others] = devices;
  if (only === undefined) throw unusable('There is no removable drive.');
  if (others.length > 0) throw unusable(`There are several: ${devices.map(({ device }) => device).join(', ')}.`);
  return only;
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTEMPTY') throw error;
  }
}

async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function pluginAt(folder: string, name: string): UsbArtifacts['plugins'] {
  const path = join(folder, name);
  const suffix = extname(name);
  const named = packageFile.exec(name);
  if (named?.[1] !== undefined && named[2] !== undefined) {
    return [{ path, name: named[1], version: named[2], kind: 'package' }];
  }
  if (suffix !== '.js' && suffix !== '.ts') return [];
  return [{ path, name: basename(name, suffix), version: null, kind: 'file' }];
}
