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

/** What the service manager says of the program. */
export interface ServiceStatus {
  readonly service: string;
  readonly isActive: boolean;
  /** Its own word, such as `active`. */
  readonly word: string;
}

/**
 * The machine that a node runs on. Everything that changes it stands here, so that a node that must not (a demonstration, a
 * test) has a harmless implementation. What only reads works everywhere.
 */
export interface Host {
  /** Why this program may not change the machine; undefined when it may. */
  readonly refusal: string | undefined;
  /** These reject with HostCommandFailed. */
  reboot(): Promise<void>;
  shutDown(): Promise<void>;
  /** @param utcMs milliseconds since 1970 */
  setClock(utcMs: number): Promise<void>;
  /** Starts this very program again; the process ends soon after. */
  restartProgram(): Promise<void>;
  mount(device: BlockDevice, folder: string): Promise<void>;
  unmount(device: BlockDevice, folder: string): Promise<void>;
  /** Makes a drive ready to be taken out, where the machine can. */
  powerOff(device: BlockDevice): Promise<void>;
  programStatus(): Promise<ServiceStatus>;
  /** Removable ones only. */
  removableDevices(): Promise<readonly BlockDevice[]>;
  /** Of the disk that `path` is on. */
  diskSpace(path: string): Promise<SpaceBytes>;
  memory(): Promise<SpaceBytes>;
  ipv4Addresses(): readonly string[];
  /** Whether the machine gives a wireless network of its own. */
  isAccessPoint(): Promise<boolean>;
}

/** A command of the operating system did not do its work. */
export class HostCommandFailed extends Error {
  constructor(command: string, why: string) {
    super(`${command}: ${why}`);
    this.name = 'HostCommandFailed';
  }
}
