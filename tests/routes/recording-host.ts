import { type BlockDevice, type Host, HostCommandFailed, type Installer } from '@lcs/node';

type Act = 'reboot' | 'shutDown' | 'setClock' | 'restartProgram' | 'mount' | 'programStatus' | 'removableDevices';

/** A host that may be controlled, and only records its commands. */
export function recordingHost() {
  const done: string[] = [];
  const failing = new Set<Act>();
  const paused = new Map<Act, Promise<void>>();
  const drives: BlockDevice[] = [];
  const act = async (name: Act, words = ''): Promise<void> => {
    await paused.get(name);
    if (failing.has(name)) throw new HostCommandFailed(name, 'It does not work.');
    done.push(words === '' ? name : `${name} ${words}`);
  };
  const replace = ({ device }: BlockDevice, mountpoints: readonly string[]) => {
    const at = drives.findIndex((one) => one.device === device);
    const known = drives[at];
    if (known) drives[at] = { ...known, mountpoints };
  };
  const host: Host = {
    refusal: undefined,
    reboot: () => act('reboot'),
    shutDown: () => act('shutDown'),
    setClock: (utcMs) => act('setClock', new Date(utcMs).toISOString()),
    restartProgram: () => act('restartProgram'),
    mount: async (device, folder) => {
      await act('mount', `${device.device} ${folder}`);
      replace(device, [folder]);
    },
    unmount: async (device, folder) => {
      done.push(`unmount ${folder}`);
      replace(device, []);
    },
    powerOff: async ({ device }) => {
      done.push(`powerOff ${device}`);
    },
    programStatus: async () => {
      await paused.get('programStatus');
      return { service: 'lcs.service', isActive: true, statusText: 'active' };
    },
    removableDevices: async () => {
      if (failing.has('removableDevices')) throw new HostCommandFailed('lsblk', 'It does not work.');
      return drives;
    },
    diskSpace: async () => ({ availableBytes: 5e9, totalBytes: 9e9 }),
    memory: async () => ({ availableBytes: 1e9, totalBytes: 4e9 }),
    load: () => ({ oneMinute: 0.5, cores: 4 }),
    ipv4Addresses: () => ['10.42.0.1', '192.168.1.7'],
    isAccessPoint: async () => true,
  };
  return {
    ...host,
    /** The received commands, in order. */
    done,
    /** What is plugged in. */
    drives,
    fail: (name: Act) => {
      failing.add(name);
    },
    /** Lets an action wait until what is returned is called. */
    pause: (name: Act): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      paused.set(name, promise);
      return () => {
        paused.delete(name);
        resolve();
      };
    },
  };
}

/** Takes every version, and puts it nowhere. */
export function freeInstaller(): Installer {
  let chosen: string | null = null;
  return {
    refusal: undefined,
    install: async () => {},
    chosen: async () => chosen,
    choose: async (version) => {
      chosen = version;
    },
  };
}
