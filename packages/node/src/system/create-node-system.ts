import { join } from 'node:path';
import { ApiError, type Handlers, type nodeSystemRoutes, type Space } from '@lcs/contract';
import { verifyRelease } from '../archives/release-archive.ts';
import type { SpaceBytes } from '../host/host.ts';
import { UsbDrives } from '../host/usb-drives.ts';
import { usbLock } from '../host/usb-target.ts';
import { accept } from './accept.ts';
import { archiveHandlers } from './archive-handlers.ts';
import { clockHandlers } from './clock-handlers.ts';
import { fileHandlers } from './file-handlers.ts';
import { hostCommand } from './host-command.ts';
import type { NodeSystemOptions } from './node-system.ts';
import { powerHandlers } from './power.ts';
import { repairHandlers } from './repair.ts';
import { updateHandlers } from './update-handlers.ts';

/** The routes about a node's machine. */
export interface NodeSystem {
  readonly handlers: Handlers<typeof nodeSystemRoutes>;
}

/** The USB drives of a node, mounted below `run/usb` of its data folder. */
export function createUsbDrives({
  host,
  dataFolder,
  releases,
}: Pick<NodeSystemOptions, 'host' | 'dataFolder' | 'releases'>): UsbDrives {
  return new UsbDrives({
    host,
    root: join(dataFolder, 'run', 'usb'),
    isRelease: (path) =>
      verifyRelease(path, releases.keys).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError) return false;
          throw error;
        },
      ),
  });
}

const spaceOf = ({ availableBytes, totalBytes }: SpaceBytes): Space => ({
  available_bytes: availableBytes,
  total_bytes: totalBytes,
});

/** Creates these routes. Call it before the tasks start, because it registers kinds of tasks. */
export function createNodeSystem(options: NodeSystemOptions): NodeSystem {
  const { host, dataFolder, usb, isLeader } = options;
  const handlers: Handlers<typeof nodeSystemRoutes> = {
    ...powerHandlers(options),
    ...clockHandlers(options),
    ...fileHandlers(options),
    ...updateHandlers(options, usb),
    ...archiveHandlers(options),
    ...repairHandlers(options),
    ...usbHandlers(options, usb),
    getIpv4Addresses: () => ({ status: 200, body: { ipv4_address: host.ipv4Addresses().join(',') } }),
    getDiskSpace: async () => ({ status: 200, body: spaceOf(await host.diskSpace(dataFolder)) }),
    getMemory: async () => ({ status: 200, body: spaceOf(await host.memory()) }),
    getWebServerStatus: async () => {
      if (!isLeader) throw new ApiError('leader_only', {});
      const { service, isActive, statusText } = await host.programStatus();
      const state = isActive ? 'ready' : 'disconnected';
      return { status: 200, body: { service, state, raw_status: `${service}=${statusText}` } };
    },
  };
  return { handlers };
}

type UsbRoutes = Pick<typeof nodeSystemRoutes, 'getUsb' | 'mountUsb' | 'ejectUsb' | 'getUsbArtifacts'>;

function usbHandlers(options: NodeSystemOptions, usb: UsbDrives): Handlers<UsbRoutes> {
  const mount = {
    kind: 'usb.mount',
    lock: usbLock,
    run: async ({ device: requested }: { readonly device: string | null }) => {
      const { device, display_name, mountpoint } = await hostCommand('mount the drive', () => usb.mount(requested));
      return { result: true, device, display_name, mountpoint, msg: 'Mounted' };
    },
  };
  const eject = {
    kind: 'usb.eject',
    lock: usbLock,
    run: async ({ device: requested }: { readonly device: string | null }) => {
      const { device, display_name } = await hostCommand('unmount the drive', () => usb.eject(requested));
      return { result: true, device, display_name, msg: 'Ejected' };
    },
  };
  options.tasks.register(mount);
  options.tasks.register(eject);
  return {
    getUsb: async () => ({ status: 200, body: await usb.status() }),
    mountUsb: ({ body: { device = null } }) => accept(options, mount, { device }),
    ejectUsb: ({ body: { device = null } }) => accept(options, eject, { device }),
    getUsbArtifacts: async () => ({ status: 200, body: await usb.artifacts() }),
  };
}
