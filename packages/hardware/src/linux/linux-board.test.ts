import { VirtualClock } from '@lcs/platform';
import { board12, type PwmChannel, pwmChannels } from '../board-layout.ts';
import { BusError } from '../buses/bus-error.ts';
import { boardContract } from '../simulated/board-contract.ts';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { SteadyPlant } from '../simulated/steady-plant.ts';
import type { WitnessEntry } from '../simulated/witness.ts';
import { FakeSysfs, FakeTools, systemError } from '../testing/test-kernel.ts';
import type { I2cConnection } from './i2c-binding.ts';
import { LinuxGpioBank } from './linux-gpio-bank.ts';
import { LinuxI2cBus } from './linux-i2c-bus.ts';
import { LinuxPwmBank } from './linux-pwm-bank.ts';
import { findPwmPlaces } from './pwm-places.ts';
import { gpioDetect, type PwmChipTranscript, raspberryPi4, raspberryPi5 } from './raspberry-pi.transcript.ts';

/** Poll interval of the simulated gpiomon. */
const pollMs = 5;

/** The binding's side of a simulated board's chips: one that is gone is an error of the kernel. */
function bindingOver({ i2c }: SimulatedBoard): I2cConnection {
  const asKernel = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw error instanceof BusError ? systemError('EREMOTEIO') : error;
    }
  };
  return {
    readI2cBlock: async (address, command, length, buffer) => {
      const bytes = await asKernel(i2c.readRegister(address, command, length));
      buffer.set(bytes);
      return { bytesRead: bytes.length };
    },
    writeI2cBlock: async (address, command, length, buffer) => {
      await asKernel(i2c.writeRegister(address, command, buffer.subarray(0, length)));
      return { bytesWritten: length };
    },
    close: async () => {},
  };
}

/** A `/sys` whose PWM channels drive those of a simulated board. */
async function sysfsOver(chips: readonly PwmChipTranscript[], { pwm }: SimulatedBoard): Promise<FakeSysfs> {
  const channels = new Map<string, PwmChannel>();
  for (const [line, { chip, channel }] of await findPwmPlaces(new FakeSysfs({ chips }))) {
    const found = pwmChannels.find((known) => board12.pwmLines[known] === line);
    if (found !== undefined) channels.set(`${chip.split('/').at(-1)} ${channel}`, found);
  }
  return new FakeSysfs({
    chips,
    onChange: (chip, number, { period, duty_cycle, enable }) => {
      const channel = channels.get(`${chip} ${number}`);
      if (channel === undefined) return;
      void pwm
        .exportChannel(channel)
        .then(() => pwm.setDuty(channel, 0))
        .then(() => pwm.setPeriod(channel, period))
        .then(() => pwm.setDuty(channel, duty_cycle))
        .then(() => pwm.setEnabled(channel, enable === 1));
    },
  });
}

/** Tools whose gpiomon prints the turns of a simulated stirrer. */
function toolsOver(version: 1 | 2, { gpio }: SimulatedBoard, clock: VirtualClock): FakeTools {
  const answers = {
    'gpiodetect --version': { stdout: version === 1 ? gpioDetect.version1 : gpioDetect.version2 },
    gpiodetect: { stdout: gpioDetect.pi4 },
  };
  return new FakeTools(answers, (tool) => {
    const line = Number(tool.args.at(-1));
    void gpio.watch(line, 'falling').then(() => tool.printLine(`Monitoring line '${line}'...`));
    const cancel = clock.every(pollMs, () => {
      if (!tool.isRunning()) return cancel();
      void gpio.takeEdges(line).then((edges) => {
        for (const edge of edges) {
          const [seconds, ns] = [Math.floor(edge / 1e6), Math.round((edge % 1e6) * 1000)];
          tool.printLine(version === 1 ? `${seconds} ${ns}` : `${seconds}.${String(ns).padStart(9, '0')}`);
        }
      });
    });
  });
}

/** The buses of Linux on a made-up kernel, behind which a simulated board answers. */
async function linuxOverSimulation(chips: readonly PwmChipTranscript[], version: 1 | 2) {
  const clock = new VirtualClock();
  const entries: WitnessEntry[] = [];
  const witness = (entry: WitnessEntry) => entries.push(entry);
  const board = new SimulatedBoard({ layout: board12, plant: new SteadyPlant(), clock, seed: 1, witness });
  const connection = bindingOver(board);
  const gpio = new LinuxGpioBank({
    tools: toolsOver(version, board, clock),
    wire: clock,
    kernelUs: () => Math.round(clock.monotonic() * 1000),
  });
  const i2c = new LinuxI2cBus({ busNumber: 1, load: async () => ({ openPromisified: async () => connection }) });
  const pwm = new LinuxPwmBank({ files: await sysfsOver(chips, board), lines: board12.pwmLines, wire: clock });
  return {
    buses: { i2c, pwm, gpio },
    clock,
    run: async <T>(work: Promise<T>) => {
      let isDone = false;
      const whenDone = () => {
        isDone = true;
      };
      void work.then(whenDone, whenDone);
      await clock.advanceUntil(() => isDone, 60_000);
      return work;
    },
    silence: async (address: number) => board.i2c.silence(address),
    restore: async (address: number) => board.i2c.restore(address),
    witness: () => entries,
    close: async () => {
      await gpio.close();
      await i2c.close();
    },
  };
}

boardContract('the buses of Linux on a Raspberry Pi 4 with libgpiod 1', () => linuxOverSimulation(raspberryPi4, 1));
boardContract('the buses of Linux on a Raspberry Pi 5 with libgpiod 2', () => linuxOverSimulation(raspberryPi5, 2));
