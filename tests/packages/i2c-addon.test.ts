import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { board12 } from '@lcs/hardware';
import { type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { architectures } from '../../build/package/architectures.ts';
import {
  type GuardProcessOptions,
  type GuardReply,
  isGuardReply,
} from '../../packages/hardware/src/guard/guard-message.ts';
import { defaultWiring, type GuardRequest } from '../../packages/hardware/src/guard/guard-types.ts';
import { type FilePwmChannel, pwmFolders, writeSysfs } from '../../packages/hardware/src/testing/sysfs-files.ts';
import { type I2cProgram, i2cEnvironment, i2cProgram } from './i2c-build.ts';
import type { Call } from './i2c-talk.ts';
import { I2cWire, noAcknowledgement, scriptedChips } from './i2c-wire.ts';

/**
 * The I2C addon of the packages, compiled for both architectures, between the drivers of a unit and another `/dev/i2c-1`: what is checked
 * is what the kernel would put on the wire. arm64 runs in an emulator.
 */
let folder: TemporaryFolder;

beforeAll(async () => {
  folder = await temporaryFolder('i2c');
});
afterAll(async () => folder[Symbol.asyncDispose]());

const newWire = () => I2cWire.listen(path.join(folder.path, `bus-${Math.random()}`), () => noAcknowledgement);

/** Registers and values of the chips of all boards (data sheets SBAS444, SBOS854, SLASEO1; firmware 0.5 of the controller). */
const chipScripts = [
  {
    chip: 'ads1114',
    // Written: ±2.048 V, 128 a second, continuous, no comparator. Read back: the same, with the bit of an idle converter.
    script: { '49 w00 r2': ['4000', 'c000'], '49 w01 r2': ['8483'] },
    wire: ['49 w010483', '49 w00 r2', '49 w00 r2', '49 w01 r2'],
    value: [1.024, -1.024],
  },
  {
    chip: 'ads1115',
    // Begin, input 1 or 0 to ground, ±4.096 V or ±2.048 V, single.
    script: { '48 w00 r2': ['1f40', 'ffff'] },
    wire: ['48 w01d383', '48 w00 r2', '48 w01c583', '48 w00 r2'],
    value: [1, -0.0000625],
  },
  { chip: 'tmp1075', script: { '4f w00 r2': ['1900', 'e700'] }, wire: ['4f w00 r2', '4f w00 r2'], value: [25, -25] },
  {
    chip: 'dac43608',
    script: {},
    // Value, then power: A at 128, D at 255, A off.
    wire: ['49 w080800', '49 w0100fe', '49 w0b0ff0', '49 w0100f6', '49 w080000', '49 w0100f7'],
    value: null,
  },
  {
    chip: 'controller',
    // Version 0.5, low byte first: 32 samples in the number.
    script: { '2c w08 r2': ['0500'], '2c w05 r2': ['c067'], '2c w06 r2': ['8033'] },
    wire: ['2c w00cc', '2c w0300', '2c w08 r2', '2c w05 r2', '2c w06 r2'],
    value: [(830 / 4095) * 3.3, (412 / 4095) * 3.3],
  },
] as const;

/** What the kernel may answer to a transfer (its documentation, `i2c/fault-codes.rst`), and what a person reads. */
const transferFaults = [
  [121, 'no acknowledgement'],
  [6, 'no acknowledgement'],
  [110, 'the bus hangs (a chip holds its clock)'],
  [11, 'the bus is busy'],
  [16, 'the bus is busy'],
  [5, 'the transfer was disturbed'],
  [71, 'the transfer was disturbed'],
  [74, 'the transfer was disturbed'],
  [19, 'the bus has gone (the kernel has removed its driver)'],
  [108, 'the bus is suspended'],
  [95, 'the bus cannot make this transfer'],
  [22, 'the kernel reports EINVAL'],
  [12, 'the kernel reports ENOMEM'],
] as const;

const noBus = 'the bus does not exist (put "dtparam=i2c_arm=on" into config.txt, and load the module i2c-dev)';
const openFaults = [
  [2, noBus],
  [19, noBus],
  [6, noBus],
  [13, 'this user may not use the bus (it must be in the group i2c)'],
  [24, 'the kernel reports EMFILE'],
] as const;

describe.each(architectures)('the I2C addon on $debian', (architecture) => {
  let wire: I2cWire;
  let talker: ChildProcess;
  let answers: AsyncIterator<string>;

  beforeAll(async () => {
    const program = i2cProgram(architecture, folder.path);
    wire = await newWire();
    const source = path.join(import.meta.dirname, 'i2c-talk.ts');
    talker = spawn(program.file, [...program.args, source, pathToFileURL(program.binding).href], {
      env: i2cEnvironment(program, wire.socketPath),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    answers = createInterface({ input: talker.stdout ?? process.stdin })[Symbol.asyncIterator]();
  });

  beforeEach(() => {
    wire.lines.length = 0;
  });

  afterAll(async () => {
    const ended = once(talker, 'exit');
    talker.stdin?.end();
    await ended;
    await wire.close();
  });

  async function talk(...calls: readonly Call[]): Promise<readonly unknown[]> {
    talker.stdin?.write(`${JSON.stringify(calls)}\n`);
    const { value } = await answers.next();
    return JSON.parse(value);
  }

  it('puts on the wire, byte by byte, what the registers of all chips need', async () => {
    const scripts = Object.assign({}, ...chipScripts.map(({ script }) => script));
    wire.answer = scriptedChips(scripts, [0x49, 0x2c]);
    const results = await talk(...chipScripts.map(({ chip }): Call => ['chip', chip]));
    expect(wire.transfers).toEqual(chipScripts.flatMap((chip) => [...chip.wire]));
    expect(results).toEqual(
      chipScripts.map(({ value }) => ({
        value: value === null ? null : value.map((number) => expect.closeTo(number, 9)),
      })),
    );
  });

  it('reports each fault of a transfer in words, and works after it', async () => {
    const faults = transferFaults.flatMap(([errno]) => [`errno ${errno}`, `errno ${errno}`]);
    wire.answer = (line) => (/^(open|slave) /.test(line) ? 'ok' : (faults.shift() ?? 'ok 1900'));
    const calls = transferFaults.flatMap((): Call[] => [
      ['read', 0x4f, 0, 2],
      ['write', 0x4f, 1, [0]],
    ]);
    const results = await talk(...calls, ['read', 0x4f, 0, 2]);
    const device = 'i2c 0x4f';
    expect(results).toEqual([
      ...transferFaults.flatMap(([, reason]) => [
        { device, operation: 'read register 0', reason },
        { device, operation: 'write register 1', reason },
      ]),
      { value: [0x19, 0] },
    ]);
  });

  it('reports why a bus cannot be opened, and opens it later', async () => {
    const faults = openFaults.map(([errno]) => `errno ${errno}`);
    wire.answer = (line) => (line === 'open 1' ? (faults.shift() ?? 'ok') : line.includes(' r') ? 'ok 1900' : 'ok');
    const read: Call = ['read', 0x4f, 0, 2];
    const results = await talk(...openFaults.map(() => read), read);
    expect(results).toEqual([
      ...openFaults.map(([, reason]) => expect.objectContaining({ reason })),
      { value: [0x19, 0] },
    ]);
  });

  it('sends nothing to another address when a driver of the kernel has the chip', async () => {
    let isTaken = true;
    wire.answer = (line) => {
      if (line !== 'slave 49') return line.includes(' r') ? 'ok 1900' : 'ok';
      const answer = isTaken ? 'errno 16' : 'ok';
      // Its second attempt finds it still taken.
      isTaken = wire.lines.filter((each) => each === line).length < 2;
      return answer;
    };
    const write: Call = ['write', 0x49, 8, [8, 0]];
    const results = await talk(write, ['read', 0x4f, 0, 2], write, write, ['read', 0x4f, 0, 2]);
    const taken = expect.objectContaining({ reason: 'a driver of the kernel has this chip' });
    expect(results).toEqual([taken, { value: [0x19, 0] }, taken, { value: null }, { value: [0x19, 0] }]);
    expect(wire.transfers).toEqual(['4f w00 r2', '49 w080800', '4f w00 r2']);
  });
});

/** A node's side of a guard process: requests, and the answers to them. */
class GuardOverI2c {
  readonly child: ChildProcess;
  #lastId = 0;

  constructor(program: I2cProgram, socketPath: string, sysfs: string) {
    const options: GuardProcessOptions = {
      board: { kind: 'linux', places: { sysfs, i2cBinding: pathToFileURL(program.binding).href } },
      layout: board12,
      wiring: defaultWiring,
    };
    const source = fileURLToPath(new URL('../../packages/hardware/src/guard/guard-process.ts', import.meta.url));
    const env = i2cEnvironment(program, socketPath);
    this.child = fork(source, [JSON.stringify(options)], { env, execArgv: [] });
  }

  async ready(): Promise<void> {
    await this.#reply((reply) => 'ready' in reply);
  }

  async request(request: GuardRequest): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.child.send({ id, request });
    const reply = await this.#reply((each) => 'id' in each && each.id === id);
    return 'response' in reply ? reply.response : undefined;
  }

  async #reply(isWanted: (reply: GuardReply) => boolean): Promise<GuardReply> {
    for (;;) {
      const [message] = await once(this.child, 'message');
      if (isGuardReply(message) && isWanted(message)) return message;
    }
  }
}

describe('a guard whose I2C hangs: calls wait in the kernel', () => {
  let wire: I2cWire;
  let sysfs: string;
  let guard: GuardOverI2c;
  /** Whether calls are not answered. */
  let hangs = false;
  let release: () => void = () => {};

  const duty = (channel: FilePwmChannel) =>
    Number(readFileSync(path.join(sysfs, 'class/pwm', pwmFolders[channel], 'duty_cycle'), 'utf8'));
  const heat = { reduceCelsius: 78, disableCelsius: 80, shutdownCelsius: 85 };
  const pump = { maxRunMs: 60_000, maxRunMl: 10, maxHourMs: 60_000, maxHourMl: 10, mlPerSecondAtFull: 0.1 };

  beforeEach(async () => {
    wire = await newWire();
    sysfs = path.join(folder.path, `sys-${Math.random()}`);
    await writeSysfs(sysfs);
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const chips = scriptedChips({ '4f w00 r2': ['1900'] }, [0x2c]);
    wire.answer = async (line) => {
      if (hangs) await released;
      return chips(line);
    };
    const amd64 = architectures.find(({ debian }) => debian === 'amd64');
    if (amd64 === undefined) throw new Error('no amd64');
    guard = new GuardOverI2c(i2cProgram(amd64, folder.path), wire.socketPath, sysfs);
    await guard.ready();
  });

  afterEach(async () => {
    hangs = false;
    release();
    const ended = once(guard.child, 'exit');
    guard.child.disconnect();
    await ended;
    await wire.close();
  });

  it('ends its pump in time, and switches heater, stirrer and pump off when the node has gone', async () => {
    await guard.request({ kind: 'limits', limits: { heat, pumps: { 2: pump, 3: pump } } });
    const outputs = ['pwm1', 'pwm2', 'pwm3', 'pwm5', 'ledA'] as const;
    const common = { lease: 'a', generation: 1 } as const;
    await guard.request({ kind: 'acquire', ...common, outputs });
    for (const output of ['pwm1', 'pwm5', 'ledA'] as const)
      expect(await guard.request({ kind: 'set', ...common, output, percent: 40 })).toEqual({ ok: true });
    hangs = true;
    void guard.request({ kind: 'set', ...common, output: 'ledA', percent: 60 });
    const beating = setInterval(() => void guard.request({ kind: 'renew', leases: ['a'] }), 200);
    const begunMs = performance.now();
    expect(await guard.request({ kind: 'set', ...common, output: 'pwm2', percent: 50, forMs: 1500 })).toEqual({
      ok: true,
    });
    expect(duty(2)).toBeGreaterThan(0);
    await vi.waitFor(() => expect(duty(2)).toBe(0), { timeout: 10_000, interval: 5 });
    const lateMs = performance.now() - begunMs - 1500;
    expect(await guard.request({ kind: 'set', ...common, output: 'pwm3', percent: 50, forMs: 30_000 })).toEqual({
      ok: true,
    });
    expect([duty(1), duty(3), duty(5)].every((each) => each > 0)).toBe(true);
    clearInterval(beating);
    const goneMs = performance.now();
    await vi.waitFor(() => expect([duty(1), duty(3), duty(5)]).toEqual([0, 0, 0]), { timeout: 10_000, interval: 5 });
    const safeMs = performance.now() - goneMs;
    console.info(
      `Hanging I2C: pump ended ${Math.round(lateMs)} ms late, outputs safe ${Math.round(safeMs)} ms after the last heartbeat.`,
    );
    expect(lateMs).toBeLessThan(1000);
    expect(safeMs).toBeLessThan(2000);
  });
});
