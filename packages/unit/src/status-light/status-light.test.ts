import { BusError } from '@lcs/hardware';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { StatusLight } from './status-light.ts';

async function lit() {
  const clock = new VirtualClock();
  const log = memoryLog();
  const seen: [atMs: number, isOn: boolean][] = [];
  let isBroken = false;
  const light = new StatusLight({
    gpio: {
      setOutput: async (line, isHigh) => {
        if (isBroken) throw new BusError(`gpio ${line}`, 'set output', 'busy');
        seen.push([clock.monotonic(), isHigh]);
      },
    },
    line: 23,
    clock,
    log,
  });
  await light.start();
  const begunMs = clock.monotonic();
  return {
    clock,
    log,
    light,
    seen: () => seen.map(([atMs, isOn]) => [atMs - begunMs, isOn] as const),
    break: () => {
      isBroken = true;
    },
  };
}

it('flashes twice, four times over, and ends dark', async () => {
  const { clock, light, seen } = await lit();
  light.blink();
  light.blink();
  await clock.advance(5_000);
  const flashes = seen();
  expect(flashes.slice(0, 5)).toEqual([
    [0, true],
    [140, false],
    [280, true],
    [420, false],
    [870, true],
  ]);
  expect(flashes.filter(([, isOn]) => isOn)).toHaveLength(8);
  expect(flashes.at(-1)?.[1]).toBe(false);
  light.blink();
  await clock.advance(5_000);
  expect(seen().filter(([, isOn]) => isOn)).toHaveLength(16);
});

it('is dark when its unit stops in the middle', async () => {
  const { clock, light, seen } = await lit();
  light.blink();
  await clock.advance(50);
  expect(seen().at(-1)?.[1]).toBe(true);
  await light.stop();
  expect(seen().at(-1)?.[1]).toBe(false);
});

it('endangers nothing when it does not obey', async () => {
  const { clock, light, log, break: breakIt } = await lit();
  breakIt();
  light.blink();
  await clock.advance(5_000);
  expect(log.messages('warn')).toEqual(['The status light does not obey']);
  await light.stop();
});

it('shows a fault by a long flash and the number of short ones, one pattern at a time', async () => {
  const { clock, light, seen } = await lit();
  light.showCode(4);
  light.showCode(7);
  await clock.advance(20_000);
  const flashes = seen().filter(([, isOn]) => isOn);
  expect(flashes.map(([atMs]) => atMs)).toEqual([0, 2250, 2750, 3250, 3750]);
  light.showCode(1);
  await clock.advance(20_000);
  expect(seen().filter(([, isOn]) => isOn)).toHaveLength(7);
});

it('is on while the button is held, and dark when the unit stops', async () => {
  const { clock, light, seen } = await lit();
  light.hold(true);
  await clock.advance(500);
  expect(seen().at(-1)?.[1]).toBe(true);
  await light.stop();
  expect(seen().at(-1)?.[1]).toBe(false);
});
