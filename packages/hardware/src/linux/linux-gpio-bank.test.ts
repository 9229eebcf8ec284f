import { VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { FakeTools } from '../testing/test-kernel.ts';
import { LinuxGpioBank } from './linux-gpio-bank.ts';
import { gpioDetect, gpioMon } from './raspberry-pi.transcript.ts';
import { ToolMissing } from './tools.ts';

const startUs = 1_234_900_000;

function bankOn(version: 1 | 2, detect: string = gpioDetect.pi4, onStart?: ConstructorParameters<typeof FakeTools>[1]) {
  const clock = new VirtualClock();
  const tools = new FakeTools(
    {
      'gpiodetect --version': { stdout: version === 1 ? gpioDetect.version1 : gpioDetect.version2 },
      gpiodetect: { stdout: detect },
    },
    onStart,
  );
  return { clock, tools, bank: new LinuxGpioBank({ tools, wire: clock, kernelUs: () => startUs }) };
}

/** Time goes on until the work is done. */
async function run<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const whenDone = () => {
    isDone = true;
  };
  void work.then(whenDone, whenDone);
  await clock.advanceUntil(() => isDone, 60_000);
  return work;
}

describe.each([1, 2] as const)('edges by the tools of libgpiod %i', (version) => {
  it('come with the time of the kernel; earlier ones are discarded', async () => {
    const { clock, tools, bank } = bankOn(version);
    await run(clock, bank.watch(21, 'falling'));
    const [monitor] = tools.started;
    expect([monitor?.program, ...(monitor?.args ?? [])].join(' ')).toBe(
      version === 1
        ? 'gpiomon --falling-edge --bias=pull-up --line-buffered --format=%s %n gpiochip0 21'
        : 'gpiomon --chip gpiochip0 --edges falling --bias pull-up --banner --event-clock monotonic --format %S 21',
    );
    monitor?.printLine(version === 1 ? '1234 800000000' : '1234.800000000');
    for (const line of version === 1 ? gpioMon.version1 : gpioMon.version2) monitor?.printLine(line);
    expect(await bank.takeEdges(21)).toEqual(gpioMon.edgesUs);
    expect(await bank.takeEdges(21)).toEqual([]);
    await bank.close();
  });

  it('come from a line that is pulled down, where that is requested', async () => {
    const { clock, tools, bank } = bankOn(version);
    await run(clock, bank.watch(4, 'rising', 'pull-down'));
    const args = tools.started[0]?.args.join(' ') ?? '';
    expect(args).toContain(version === 1 ? '--bias=pull-down' : '--bias pull-down');
    await bank.close();
  });

  it('are monitored by one tool, which ends a minute after the last read', async () => {
    const { clock, tools, bank } = bankOn(version);
    for (let read = 0; read < 3; read += 1) {
      await run(clock, bank.watch(21, 'falling'));
      await bank.unwatch(21);
      await clock.advance(23_000);
    }
    expect(tools.started).toHaveLength(1);
    await clock.advance(60_000);
    expect(tools.started[0]?.isRunning()).toBe(false);
    await expect(bank.takeEdges(21)).rejects.toThrow('the line is not watched');
  });

  it('fail with the output of a tool that has ended, and come again with the next read', async () => {
    const { clock, tools, bank } = bankOn(version);
    await run(clock, bank.watch(21, 'falling'));
    tools.started[0]?.end({ code: 1, stderr: version === 1 ? gpioMon.busy1 : gpioMon.busy2 });
    await Promise.resolve();
    await Promise.resolve();
    await expect(bank.takeEdges(21)).rejects.toMatchObject({
      device: 'gpio 21',
      reason: expect.stringContaining('busy'),
    });
    await run(clock, bank.watch(21, 'falling'));
    expect(tools.started).toHaveLength(2);
    expect(await bank.takeEdges(21)).toEqual([]);
    await bank.close();
  });
});

describe('lines through the tools of libgpiod', () => {
  it('are those of the header, on a Raspberry Pi 5 too', async () => {
    const { clock, tools, bank } = bankOn(2, gpioDetect.pi5);
    await run(clock, bank.setOutput(23, true));
    expect(tools.started[0]?.args).toEqual(['--chip', 'gpiochip4', '23=1']);
    await bank.close();
  });

  it('are held at their level by one tool, which lets go before the next one comes', async () => {
    const running: number[] = [];
    const { clock, tools, bank } = bankOn(1, gpioDetect.pi4, () => {
      running.push(tools.started.filter((tool) => tool.isRunning()).length);
    });
    await run(clock, bank.setOutput(23, true));
    await run(clock, bank.setOutput(23, false));
    expect(tools.started.map(({ args }) => args)).toEqual([
      ['--mode=signal', 'gpiochip0', '23=1'],
      ['--mode=signal', 'gpiochip0', '23=0'],
    ]);
    expect(running).toEqual([1, 1]);
    await bank.close();
    expect(tools.started.some((tool) => tool.isRunning())).toBe(false);
  });

  it('that another program uses are reported as busy', async () => {
    const { clock, bank } = bankOn(2, gpioDetect.pi4, (tool) => tool.end({ code: 1, stderr: gpioMon.busy2 }));
    await expect(run(clock, bank.setOutput(23, true))).rejects.toThrow(/gpio 23: set output failed: .*busy/);
    await expect(run(clock, bank.watch(21, 'falling'))).rejects.toThrow(/gpio 21: watch failed: .*busy/);
  });

  it('cannot be had without the tools, or without a header', async () => {
    const missing = new FakeTools({ 'gpiodetect --version': new ToolMissing('gpiodetect') });
    const bank = new LinuxGpioBank({ tools: missing, wire: new VirtualClock(), kernelUs: () => 0 });
    await expect(bank.check(21)).rejects.toThrow('gpiodetect is not installed (install the package gpiod)');
    await expect(bankOn(2, gpioDetect.none).bank.check(21)).rejects.toThrow('gpiodetect shows no chip of the header');
    await bankOn(2).bank.check(21);
  });
});
