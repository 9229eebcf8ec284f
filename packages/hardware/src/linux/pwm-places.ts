import { errnoOf } from './errno.ts';
import { type KernelFiles, readText } from './kernel-files.ts';

/** A PWM channel of the kernel: folder of its chip below `/sys`, and its number there. */
export interface PwmPlace {
  readonly chip: string;
  readonly channel: number;
}

const pwmFolder = 'class/pwm';

/**
 * GPIO of the channels of the hardware PWM blocks that lead to the header, by name of their node in the device tree: BCM2835
 * peripherals data sheet, table 6-31 (GPIO12 is PWM0, GPIO13 is PWM1); RP1 peripherals data sheet, table 4. Each type of
 * computer has a second block of the same make that drives its fan or its sound: only the address tells them apart.
 */
const hardwareBlocks: readonly { readonly node: string; readonly lines: readonly number[] }[] = [
  { node: 'pwm@7e20c000', lines: [12, 13] },
  { node: 'pwm@98000', lines: [12, 13] },
];

/** The driver `pwm-gpio` makes a PWM chip with one channel out of any GPIO, by timers of the kernel. */
const softwareDriver = 'pwm-gpio';

/** Where each GPIO has its PWM now. */
export async function findPwmPlaces(files: KernelFiles): Promise<ReadonlyMap<number, PwmPlace>> {
  const places = new Map<number, PwmPlace>();
  for (const name of await listed(files)) {
    if (!/^pwmchip\d+$/.test(name)) continue;
    const chip = `${pwmFolder}/${name}`;
    const { node, driver } = await nodeOf(files, chip);
    const block = hardwareBlocks.find((known) => node.endsWith(known.node));
    for (const [channel, line] of (block?.lines ?? []).entries()) places.set(line, { chip, channel });
    const line = driver === softwareDriver ? await softwareLine(files, chip, node) : undefined;
    // The signal of the hardware block is steadier.
    if (line !== undefined && !places.has(line)) places.set(line, { chip, channel: 0 });
  }
  return places;
}

async function listed(files: KernelFiles): Promise<readonly string[]> {
  try {
    return [...(await files.list(pwmFolder))].sort();
  } catch (error) {
    // A kernel without any PWM.
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** `uevent` of the chip's device: lines of `KEY=value`. */
async function nodeOf(files: KernelFiles, chip: string): Promise<{ readonly node: string; readonly driver: string }> {
  const lines = (await readText(files, `${chip}/device/uevent`)).split('\n');
  const value = (key: string) => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? '';
  return { node: value('OF_FULLNAME'), driver: value('OF_COMPATIBLE_0') };
}

/** `gpios` of its node is three numbers, high byte first: the GPIO block, the line, flags. Its name has the line in hexadecimal. */
async function softwareLine(files: KernelFiles, chip: string, node: string): Promise<number | undefined> {
  try {
    const cells = await files.read(`${chip}/device/of_node/gpios`);
    if (cells.length >= 8) return new DataView(cells.buffer, cells.byteOffset).getUint32(4);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  const unit = /@([0-9a-f]+)$/.exec(node)?.[1];
  return unit === undefined ? undefined : Number.parseInt(unit, 16);
}
