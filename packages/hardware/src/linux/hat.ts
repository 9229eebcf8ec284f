import { errnoOf } from './errno.ts';
import { type KernelFiles, readText } from './kernel-files.ts';

/** A board on the header, from its EEPROM as the firmware of the computer reads it. */
export interface Hat {
  /** For instance `1.2`. */
  readonly version: string;
  readonly serial: string;
}

/** Vendor and product in the EEPROM of the boards that this program drives. */
const knownVendor = 'Pioreactor Inc.';
const knownProduct = 0x0001;

/** @param files of `/proc/device-tree`. undefined: no board, or a board of another maker */
export async function findHat(files: KernelFiles): Promise<Hat | undefined> {
  const vendor = await fact(files, 'vendor');
  const product = await fact(files, 'product_id');
  if (vendor !== knownVendor || product === undefined || Number(product) !== knownProduct) return undefined;
  const [, major, minor] = /([0-9a-f])([0-9a-f])$/i.exec((await fact(files, 'product_ver')) ?? '') ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return {
    version: `${Number.parseInt(major, 16)}.${Number.parseInt(minor, 16)}`,
    serial: (await fact(files, 'uuid')) ?? '',
  };
}

async function fact(files: KernelFiles, name: string): Promise<string | undefined> {
  try {
    return await readText(files, `hat/${name}`);
  } catch (error) {
    // No board, or a computer without a device tree.
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
