import type { PwmChannel } from '@lcs/hardware';

/** Parts of the board that a job may need. The stirrer's sensor is behind a line of the header: only the line can be probed. */
export type HardwarePart =
  | 'led_driver'
  | 'heater_board'
  | 'stirrer_line'
  | `photodiode${1 | 2 | 3 | 4}`
  | `pwm${PwmChannel}`;

export const photodiodePart = (channel: string): HardwarePart | undefined =>
  channel === '1' || channel === '2' || channel === '3' || channel === '4' ? `photodiode${channel}` : undefined;

/** How people call them. */
export const partNames: Readonly<Record<HardwarePart, string>> = {
  led_driver: 'the driver of the LEDs',
  heater_board: 'the temperature sensor of the heater’s board',
  stirrer_line: 'the line of the stirrer’s sensor',
  photodiode1: 'the converter of photodiode 1',
  photodiode2: 'the converter of photodiode 2',
  photodiode3: 'the converter of photodiode 3',
  photodiode4: 'the converter of photodiode 4',
  pwm1: 'PWM output 1',
  pwm2: 'PWM output 2',
  pwm3: 'PWM output 3',
  pwm4: 'PWM output 4',
  pwm5: 'PWM output 5',
};
