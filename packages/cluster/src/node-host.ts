import { join } from 'node:path';
import { diskSpaceAt, HarmlessHost, type Host, noInstaller, type ReleaseOptions, UploadStore } from '@lcs/platform';

/** What of its machine a node may use; harmless unless told. */
export interface NodeHostOptions {
  /** Default: one that changes nothing. */
  readonly machine?: Host;
  readonly releases?: Partial<ReleaseOptions>;
  /** The largest upload; 64 MiB unless told. */
  readonly uploadLimitBytes?: number;
}

type UploadNeeds = Pick<ConstructorParameters<typeof UploadStore>[0], 'clock' | 'log' | 'newId'>;

/** The parts of a node that are its machine. A folder `run/usb/DEV_USB` stands for a drive where nothing else does. */
export function nodeHost(dataFolder: string, options: NodeHostOptions, needs: UploadNeeds) {
  const run = join(dataFolder, 'run');
  return {
    host: options.machine ?? new HarmlessHost({ usbFolder: join(run, 'usb', 'DEV_USB') }),
    releases: { keys: [], installer: noInstaller, ...options.releases },
    uploads: new UploadStore({
      ...needs,
      folder: join(run, 'uploads'),
      freeBytes: async () => (await diskSpaceAt(dataFolder)).availableBytes,
    }),
    ...(options.uploadLimitBytes === undefined ? {} : { uploadLimitBytes: options.uploadLimitBytes }),
  };
}
