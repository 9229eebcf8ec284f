/** Bytes of a disk or of memory. */
export interface SpaceBytes {
  readonly availableBytes: number;
  readonly totalBytes: number;
}

/** A partition, or a whole drive without partitions, as the operating system lists it. */
export interface BlockDevice {
  /** Such as `/dev/sda1`. */
  readonly device: string;
  readonly parentDevice: string | null;
  readonly label: string | null;
  readonly uuid: string | null;
  readonly fileSystem: string | null;
  readonly sizeBytes: number;
  readonly mountpoints: readonly string[];
  readonly isRemovable: boolean;
}

/** The program's status from the service manager. */
export interface ServiceStatus {
  readonly service: string;
  readonly isActive: boolean;
  /** The status word, such as `active`. */
  readonly statusText: string;
}

/**
 * The machine of a node. All its commands are here, so that demonstrations and tests use a harmless implementation. Reading works in all
 * implementations.
 */
export interface Host {
  /** Why this program may not change the machine; undefined when it may. */
  readonly refusal: string | undefined;
  /** These reject with HostCommandFailed. */
  reboot(): Promise<void>;
  shutDown(): Promise<void>;
  /** @param utcMs milliseconds since 1970 */
  setClock(utcMs: number): Promise<void>;
  /** Restarts this program; the process ends soon after. */
  restartProgram(): Promise<void>;
  mount(device: BlockDevice, folder: string): Promise<void>;
  unmount(device: BlockDevice, folder: string): Promise<void>;
  /** Powers a drive off for removal, where the machine supports it. */
  powerOff(device: BlockDevice): Promise<void>;
  programStatus(): Promise<ServiceStatus>;
  /** Removable ones only. */
  removableDevices(): Promise<readonly BlockDevice[]>;
  /** Of the disk that `path` is on. */
  diskSpace(path: string): Promise<SpaceBytes>;
  memory(): Promise<SpaceBytes>;
  /** How much programs want to run. */
  load(): Load;
  ipv4Addresses(): readonly string[];
  /** Whether the machine is a wireless access point. */
  isAccessPoint(): Promise<boolean>;
}

/** Programs that want to run, on average of a minute, and how many can. */
export interface Load {
  readonly oneMinute: number;
  readonly cores: number;
}

/** A command of the operating system failed. */
export class HostCommandFailed extends Error {
  constructor(command: string, why: string) {
    super(`${command}: ${why}`);
    this.name = 'HostCommandFailed';
  }
}
