import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { board12 } from '../board-layout.ts';
import { PwmOutput } from '../chips/pwm-output.ts';
import { FakeSysfs, type FakeSysfsOptions, systemError } from '../testing/test-kernel.ts';
import { LinuxPwmBank } from './linux-pwm-bank.ts';
import { findPwmPlaces } from './pwm-places.ts';
import { raspberryPi4, raspberryPi5 } from './raspberry-pi.transcript.ts';

const bankOn = (options: FakeSysfsOptions) => {
  const files = new FakeSysfs(options);
  const clock = new VirtualClock();
  return { files, clock, bank: new LinuxPwmBank({ files, lines: board12.pwmLines, wire: clock }) };
};
const heater = 'class/pwm/pwmchip5/pwm0';

describe('where GPIOs have their PWM', () => {
  it.each([
    [
      'a Raspberry Pi 4',
      raspberryPi4,
      { 12: ['pwmchip0', 0], 13: ['pwmchip0', 1], 16: ['pwmchip4', 0], 17: ['pwmchip3', 0], 18: ['pwmchip5', 0] },
    ],
    [
      'a Raspberry Pi 5',
      raspberryPi5,
      { 12: ['pwmchip4', 0], 13: ['pwmchip4', 1], 16: ['pwmchip9', 0], 17: ['pwmchip8', 0], 18: ['pwmchip10', 0] },
    ],
    ['a computer without any', [], {}],
  ])('is found on %s, and never on the block of its fan or sound', async (_name, chips, expected) => {
    const found = await findPwmPlaces(new FakeSysfs({ chips }));
    const places = [...found].map(([line, { chip, channel }]) => [String(line), [chip.split('/').at(-1), channel]]);
    expect(Object.fromEntries(places)).toEqual(expected);
  });
});

describe('the PWM of Linux', () => {
  it('opens a new channel at 0 % with its period, and drives it', async () => {
    const { files, bank } = bankOn({ chips: raspberryPi4 });
    const output = new PwmOutput(bank, 5, 16);
    await output.open();
    expect(files.written).toEqual([`${heater} exported`, `${heater}/period=62500000`, `${heater}/enable=1`]);
    await output.set(30);
    expect(files.state(heater)).toEqual({ period: 62_500_000, duty_cycle: 18_750_000, enable: 1, polarity: 'normal' });
  });

  it('takes over a channel that a killed guard has left on: off first, whatever its period was', async () => {
    const { files, bank } = bankOn({ chips: raspberryPi4 });
    files.leave(heater, { period: 1_000_000_000, duty_cycle: 900_000_000, enable: 1 });
    await new PwmOutput(bank, 5, 16).open();
    expect(files.written[0]).toBe(`${heater}/duty_cycle=0`);
    expect(files.state(heater)).toEqual({ period: 62_500_000, duty_cycle: 0, enable: 1, polarity: 'normal' });
  });

  it('fails when the kernel accepts a duty and does not set it', async () => {
    const { files, bank } = bankOn({ chips: raspberryPi4 });
    const output = new PwmOutput(bank, 5, 16);
    await output.open();
    await output.set(30);
    files.isDeaf = true;
    await expect(output.set(0)).rejects.toMatchObject({ name: 'BusError', device: 'pwm 5', operation: 'set duty' });
    files.isDeaf = false;
    await output.set(0);
    expect(files.state(heater)?.duty_cycle).toBe(0);
  });

  it('turns an inverted channel round while it is off: 0 % must never be on', async () => {
    const { files, bank } = bankOn({ chips: raspberryPi4 });
    files.leave(heater, { period: 1000, duty_cycle: 0, enable: 1, polarity: 'inversed' });
    await new PwmOutput(bank, 5, 16).open();
    expect(files.written.slice(0, 2)).toEqual([`${heater}/enable=0`, `${heater}/polarity=normal`]);
  });

  it('waits for the permission that udev gives after the export', async () => {
    const { files, bank, clock } = bankOn({ chips: raspberryPi4, deniedAttempts: 3 });
    await bank.exportChannel(5);
    const period = bank.setPeriod(5, 1000);
    await clock.advance(150);
    await period;
    expect(files.state(heater)?.period).toBe(1000);
  });

  it('reports a missing permission', async () => {
    const { bank, clock } = bankOn({ chips: raspberryPi4, deniedAttempts: 99 });
    await bank.exportChannel(5);
    const period = expect(bank.setPeriod(5, 1000)).rejects.toMatchObject({
      device: 'pwm 5',
      reason: expect.stringContaining('group gpio'),
    });
    await clock.advance(1000);
    await period;
  });

  it('continues when node and guard export a channel at the same moment', async () => {
    const { files, bank } = bankOn({ chips: raspberryPi4 });
    const write = files.write.bind(files);
    files.write = async (file, text) => {
      if (!file.endsWith('/export')) return write(file, text);
      await write(file, text);
      throw systemError('EBUSY');
    };
    await bank.exportChannel(5);
    await bank.setPeriod(5, 1000);
    expect(files.state(heater)?.period).toBe(1000);
  });

  it('names the overlay that a GPIO without PWM needs', async () => {
    const { bank } = bankOn({ chips: raspberryPi4.slice(0, 1) });
    await expect(bank.exportChannel(5)).rejects.toThrow(
      /GPIO18 has no PWM: add "dtoverlay=pwm-gpio,gpio=18" to config.txt/,
    );
    await bank.exportChannel(4);
    const { bank: bare } = bankOn({ chips: [] });
    await expect(bare.exportChannel(2)).rejects.toThrow(/dtoverlay=pwm-2chan,pin=12,func=4,pin2=13,func2=4/);
  });

  it('refuses an unknown channel, an unexported one, and what the kernel refuses', async () => {
    const { bank } = bankOn({ chips: raspberryPi4 });
    await expect(bank.exportChannel(9)).rejects.toMatchObject({ device: 'pwm 9', reason: 'no such channel' });
    await expect(bank.setDuty(1, 1)).rejects.toMatchObject({ device: 'pwm 1', reason: 'the channel is not exported' });
    await bank.exportChannel(1);
    await bank.setPeriod(1, 1000);
    await expect(bank.setDuty(1, 1001)).rejects.toMatchObject({ operation: 'set duty', reason: 'invalid argument' });
  });
});
