import { constants, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of the kernel's interfaces (`/sys`, `/proc/device-tree`). Paths are below its root; errors carry errno. */
export interface KernelFiles {
  list(folder: string): Promise<readonly string[]>;
  read(file: string): Promise<Uint8Array>;
  write(file: string, text: string): Promise<void>;
}

export const kernelFiles = (root: string): KernelFiles => ({
  list: (folder) => readdir(join(root, folder)),
  read: (file) => readFile(join(root, file)),
  // Not created where it is missing: in sysfs that is another error than the true one.
  write: (file, text) => writeFile(join(root, file), text, { flag: constants.O_WRONLY | constants.O_TRUNC }),
});

/** Its text without the terminator: a line feed in sysfs, a zero byte in the device tree. */
export async function readText(files: KernelFiles, file: string): Promise<string> {
  return new TextDecoder().decode(await files.read(file)).replace(/[\0\n]+$/, '');
}
