import { type BlockDevice, type Host, HostCommandFailed, type ServiceStatus } from './host.ts';
import {
  accessPointMarker,
  diskSpaceAt,
  exists,
  ipv4AddressesOfMachine,
  loadOfMachine,
  memoryOfMachine,
} from './read-outs.ts';

export interface HarmlessHostOptions {
  /** A folder that simulates a USB drive, while it exists. */
  readonly usbFolder?: string;
  readonly accessPointMarker?: string;
}

const why = 'The node was started without permission to control the machine.';

const refuse = (what: string): Promise<never> => Promise.reject(new HostCommandFailed(what, why));

/** Reads the machine but does not change it. The default of demonstrations, tests and manually started nodes. */
export class HarmlessHost implements Host {
  readonly refusal: string | undefined = why;
  readonly #options: HarmlessHostOptions;
  #isMounted = true;

  constructor(options: HarmlessHostOptions = {}) {
    this.#options = options;
  }

  reboot: () => Promise<void> = () => refuse('reboot');
  shutDown = () => refuse('shut down');
  setClock = () => refuse('set the clock');
  restartProgram: () => Promise<void> = () => refuse('restart');

  async mount(): Promise<void> {
    this.#isMounted = true;
  }

  async unmount(): Promise<void> {
    this.#isMounted = false;
  }

  async powerOff(): Promise<void> {}

  /** Who answers is up. */
  async programStatus(): Promise<ServiceStatus> {
    return { service: 'lcs', isActive: true, statusText: 'active' };
  }

  async removableDevices(): Promise<readonly BlockDevice[]> {
    const { usbFolder } = this.#options;
    if (usbFolder === undefined || !(await exists(usbFolder))) return [];
    const { totalBytes } = await diskSpaceAt(usbFolder);
    return [
      {
        device: '/dev/DEV_USB',
        parentDevice: null,
        label: 'DEV_USB',
        uuid: null,
        fileSystem: 'ext4',
        sizeBytes: totalBytes,
        mountpoints: this.#isMounted ? [usbFolder] : [],
        isRemovable: true,
      },
    ];
  }

  diskSpace = diskSpaceAt;
  memory = memoryOfMachine;
  load = loadOfMachine;
  ipv4Addresses = ipv4AddressesOfMachine;

  isAccessPoint(): Promise<boolean> {
    return exists(this.#options.accessPointMarker ?? accessPointMarker);
  }
}
