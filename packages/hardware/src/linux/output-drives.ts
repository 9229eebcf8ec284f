import { type PwmChannel, pwmChannels } from '../board-layout.ts';
import { errnoOf } from './errno.ts';
import { type KernelFiles, readText } from './kernel-files.ts';
import { ledFolder } from './led-pwm-bank.ts';

/**
 * How the kernel drives a PWM output: as an LED that goes off by itself, as an LED without the trigger for that, or as a PWM channel.
 */
export type OutputDrive = 'led_with_end' | 'led' | 'pwm';

/** @param files of `/sys` */
export async function findOutputDrives(files: KernelFiles): Promise<Readonly<Record<PwmChannel, OutputDrive>>> {
  const drives: Record<PwmChannel, OutputDrive> = { 1: 'pwm', 2: 'pwm', 3: 'pwm', 4: 'pwm', 5: 'pwm' };
  for (const channel of pwmChannels) {
    try {
      const triggers = (await readText(files, `${ledFolder(channel)}/trigger`)).split(/[\s[\]]+/);
      drives[channel] = triggers.includes('pattern') ? 'led_with_end' : 'led';
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  return drives;
}
