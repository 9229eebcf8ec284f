/**
 * Output of computers and tools, written by hand from their documentation: nothing here was recorded on a machine.
 * Sources: kernel documentation `driver-api/pwm.rst`, `i2c/fault-codes.rst`; device trees of the Raspberry Pi kernel (names of
 * nodes and `compatible`); README of its overlays (`pwm-2chan`, `pwm-gpio`); manual pages of libgpiod 1.6 and 2.2.
 */

/** `uevent` of the devices behind `/sys/class/pwm/pwmchip*`. */
const uevent = (node: string, compatible: string, driver: string): string =>
  `DRIVER=${driver}\nOF_NAME=${node.split('/').at(-1)?.split('@')[0]}\nOF_FULLNAME=${node}\nOF_COMPATIBLE_0=${compatible}\nOF_COMPATIBLE_N=1\n`;

export interface PwmChipTranscript {
  readonly name: string;
  readonly uevent: string;
  readonly channels: number;
  /** Bytes of the property `gpios`. */
  readonly gpios?: readonly number[];
}

const softwareChip = (name: string, line: number): PwmChipTranscript => ({
  name,
  uevent: uevent(`/pwm_gpio@${line.toString(16)}`, 'pwm-gpio', 'pwm-gpio'),
  channels: 1,
  // The block's handle, the line, no flags.
  gpios: [0, 0, 0, 7, 0, 0, 0, line, 0, 0, 0, 0],
});

/** Raspberry Pi 4: the second block (7e20c800) makes the sound; overlays for the board's five channels. */
export const raspberryPi4: readonly PwmChipTranscript[] = [
  { name: 'pwmchip0', uevent: uevent('/soc/pwm@7e20c000', 'brcm,bcm2835-pwm', 'bcm2835-pwm'), channels: 2 },
  { name: 'pwmchip2', uevent: uevent('/soc/pwm@7e20c800', 'brcm,bcm2835-pwm', 'bcm2835-pwm'), channels: 2 },
  softwareChip('pwmchip3', 17),
  softwareChip('pwmchip4', 16),
  softwareChip('pwmchip5', 18),
];

/** Raspberry Pi 5: the second block (9c000) drives the fan. The nodes of `pwm-gpio` contain their line in their name only. */
export const raspberryPi5: readonly PwmChipTranscript[] = [
  {
    name: 'pwmchip0',
    uevent: uevent('/axi/pcie@1000120000/rp1/pwm@9c000', 'raspberrypi,rp1-pwm', 'rp1-pwm'),
    channels: 4,
  },
  {
    name: 'pwmchip4',
    uevent: uevent('/axi/pcie@1000120000/rp1/pwm@98000', 'raspberrypi,rp1-pwm', 'rp1-pwm'),
    channels: 4,
  },
  ...[17, 16, 18].map((line, index): PwmChipTranscript => {
    const { gpios: _, ...chip } = softwareChip(`pwmchip${8 + index}`, line);
    return chip;
  }),
];

/** `/proc/device-tree/hat` of a board 1.2: texts end with a zero byte. */
export const hat12: Readonly<Record<string, string>> = {
  'hat/vendor': 'Pioreactor Inc.\0',
  'hat/product': 'Pioreactor HAT\0',
  'hat/product_id': '0x0001\0',
  'hat/product_ver': '0x0012\0',
  'hat/uuid': '5ad2e5a4-1b3f-4f2c-9d3a-000000000012\0',
};

/** `gpiodetect` and `gpiodetect --version`. */
export const gpioDetect = {
  pi4: 'gpiochip0 [pinctrl-bcm2711] (58 lines)\ngpiochip1 [raspberrypi-exp-gpio] (8 lines)\n',
  pi5: 'gpiochip10 [gpio-brcmstb@107d508500] (32 lines)\ngpiochip4 [pinctrl-rp1] (54 lines)\n',
  none: '',
  version1: 'gpiodetect (libgpiod) v1.6.3\nCopyright (C) 2017-2018 Bartosz Golaszewski\n',
  version2: 'gpiodetect (libgpiod) v2.2.1\nCopyright (C) 2017-2023 Bartosz Golaszewski\n',
} as const;

/** A stirrer at 600 turns a minute: three falling edges, each 100 ms after the one before. */
export const gpioMon = {
  /** `gpiomon --line-buffered --format='%s %n'`: nanoseconds without leading zeros. */
  version1: ['1234 950000500', '1235 50000500', '1235 150000500'],
  /** `gpiomon --banner --format %S`. */
  version2: ["Monitoring line '21'...", '1234.950000500', '1235.050000500', '1235.150000500'],
  edgesUs: [1_234_950_001, 1_235_050_001, 1_235_150_001],
  busy1: 'gpiomon: error waiting for events: Device or resource busy',
  busy2: 'gpiomon: unable to request lines on chip /dev/gpiochip0: Device or resource busy',
} as const;
