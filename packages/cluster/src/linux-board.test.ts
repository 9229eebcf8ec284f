import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog, realClock } from '@lcs/platform';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { detectBoard, openLinuxBoard, switchOutputsOff } from './linux-board.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-linux-board-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A device tree with the EEPROM content of a board, as the firmware writes it. */
async function deviceTree(version: string): Promise<string> {
  await mkdir(join(folder, 'tree/hat'), { recursive: true });
  const facts = { vendor: 'Pioreactor Inc.', product_id: '0x0001', product_ver: version, uuid: 'one' };
  for (const [name, value] of Object.entries(facts)) await writeFile(join(folder, 'tree/hat', name), `${value}\0`);
  return join(folder, 'tree');
}

const nowhere = () => ({ sysfs: join(folder, 'sys'), i2cBinding: 'no-such-package-of-i2c', toolPath: folder });
const open = (choice: { version?: string; deviceTree?: string }, log = memoryLog()) =>
  openLinuxBoard(
    { kind: 'linux', places: nowhere(), deviceTree: folder, ...choice },
    { dataFolder: folder, wire: realClock(), log },
  );

it('detects the board by its EEPROM, and none where there is none', async () => {
  expect(await detectBoard(await deviceTree('0x0011'))).toEqual({ version: '1.1', serial: 'one' });
  expect(await detectBoard(join(folder, 'nothing'))).toBeUndefined();
});

it('is wired according to its version, from the EEPROM or from the operator', async () => {
  const first = await open({ deviceTree: await deviceTree('0x0010') });
  expect([first.layout.hallLine, first.layout.ledDriver.chip, first.isSimulated]).toEqual([25, 'dac43608', false]);
  const told = await open({ deviceTree: await deviceTree('0x0010'), version: '1.2' });
  expect(told.layout.hallLine).toBe(21);
  expect(told.layoutFor({ name: 'reactor_20ml', version: '1.5' }).photodiodes).toEqual({ 1: 0x49, 2: 0x4a });
});

it('is treated as version 1.2 when its version is unknown, with a warning', async () => {
  const log = memoryLog();
  const board = await open({ deviceTree: await deviceTree('0x0021') }, log);
  expect(board.layout.hallLine).toBe(21);
  expect(log.messages('warn')).toEqual([expect.stringContaining('2.1')]);
  await expect(open({ version: '3.0' })).rejects.toThrow('3.0');
});

it('writes which chip drives the LEDs, for the program that switches off after the end of the service', async () => {
  const ledsOf = async (version: string, i2cBus?: number) => {
    const places = { ...nowhere(), ...(i2cBus !== undefined && { i2cBus }) };
    await openLinuxBoard(
      { kind: 'linux', version, places, runtimeFolder: folder },
      { dataFolder: folder, wire: realClock(), log: memoryLog() },
    );
    return readFile(join(folder, 'leds'), 'utf8');
  };
  expect(await ledsOf('1.2')).toBe('controller 1 44\n');
  expect(await ledsOf('1.0', 3)).toBe('dac43608 3 73\n');
});

it('has its outputs switched off without a node, and the failed ones are reported', async () => {
  const choice = { kind: 'linux', version: '1.2', places: nowhere() } as const;
  const left = await switchOutputsOff(choice, { dataFolder: folder, log: memoryLog() });
  expect(left).toHaveLength(9);
  expect(left[0]).toMatchObject({ output: 'pwm1', reason: expect.stringContaining('GPIO17 has no PWM') });
});
