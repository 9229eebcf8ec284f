import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { raspberryPi4 } from '../linux/raspberry-pi.transcript.ts';

/** Folders of the five channels in `class/pwm`, in the transcript of a Raspberry Pi 4. */
export const pwmFolders = {
  1: 'pwmchip3/pwm0',
  2: 'pwmchip0/pwm1',
  3: 'pwmchip4/pwm0',
  4: 'pwmchip0/pwm0',
  5: 'pwmchip5/pwm0',
} as const;

export type FilePwmChannel = keyof typeof pwmFolders;

/** A `/sys` of plain files, with the channels exported: nothing in it makes them by itself. */
export async function writeSysfs(root: string): Promise<void> {
  const pwm = join(root, 'class/pwm');
  for (const { name, uevent, channels, gpios } of raspberryPi4) {
    await mkdir(join(pwm, name, 'device/of_node'), { recursive: true });
    await writeFile(join(pwm, name, 'device/uevent'), uevent);
    if (gpios !== undefined) await writeFile(join(pwm, name, 'device/of_node/gpios'), Uint8Array.from(gpios));
    for (let channel = 0; channel < channels; channel += 1) {
      const folder = join(pwm, name, `pwm${channel}`);
      await mkdir(folder);
      // As a killed program has left them: on.
      const left = { period: '4000000', duty_cycle: '4000000', enable: '1', polarity: 'normal' };
      for (const [attribute, value] of Object.entries(left)) await writeFile(join(folder, attribute), `${value}\n`);
    }
  }
}
