import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, StartupError, VirtualClock } from '@lcs/platform';
import { expect, it, onTestFinished, vi } from 'vitest';
import { board12 } from '../board-layout.ts';
import { startBoardProcess } from '../board-process/start-board-process.ts';
import { GuardChild } from './guard-child.ts';
import { type GuardEvent, GuardLost } from './guard-link.ts';
import { defaultWiring } from './guard-types.ts';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A board of its own for a guard, both gone after the test. */
async function boardForGuard() {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-guard-child-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = join(folder, 'board.sock');
  const board = await startBoardProcess({
    socketPath,
    witnessPath: '/dev/null',
    seed: 1,
    layout: board12,
    plantModule: new URL('../testing/test-plant.ts', import.meta.url).href,
    plantOptions: {},
  });
  onTestFinished(() => board.stop());
  return { options: { board: { kind: 'simulated', socketPath }, layout: board12, wiring: defaultWiring } as const };
}

it.each(['runs', 'is stopped'])('ends with its node when it %s', async (how) => {
  const { options } = await boardForGuard();
  const guard = new GuardChild({ process: options, wire: realClock(), onGuardEvent: () => {} });
  await guard.start();
  const pid = guard.pid ?? 0;
  expect(isRunning(pid)).toBe(true);
  if (how === 'is stopped') process.kill(pid, 'SIGSTOP');
  await guard.stop();
  expect(isRunning(pid)).toBe(false);
  expect(guard.endedSafely).toBe(how === 'runs');
});

it('is restarted until it runs, and is used again', async () => {
  const { options } = await boardForGuard();
  const events: GuardEvent['what'][] = [];
  const guard = new GuardChild({ process: options, wire: realClock(), onGuardEvent: ({ what }) => events.push(what) });
  await guard.start();
  onTestFinished(() => guard.stop());
  // As when an update has replaced the program.
  const { execPath } = process;
  const haveProgram = () => Object.defineProperty(process, 'execPath', { value: execPath, writable: true });
  onTestFinished(() => void haveProgram());
  let starts = 0;
  Object.defineProperty(process, 'execPath', {
    configurable: true,
    get: () => {
      starts += 1;
      return '/nothing/node';
    },
  });
  process.kill(guard.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(starts).toBeGreaterThan(1), 5_000);
  expect(events).toEqual(['guard_ready', 'guard_lost']);
  await expect(guard.request({ kind: 'renew', leases: [] })).rejects.toThrow(GuardLost);
  haveProgram();
  await vi.waitFor(() => expect(events).toEqual(['guard_ready', 'guard_lost', 'guard_ready']), 10_000);
  expect(await guard.request({ kind: 'renew', leases: [] })).toEqual({ ok: true });
});

it('has its outputs switched off by the native program while it cannot run, and runs again after that', async () => {
  const { options } = await boardForGuard();
  const folder = await mkdtemp(join(tmpdir(), 'lcs-guard-child-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [program, begun, ended] = ['program', 'begun', 'ended'].map((name) => join(folder, name));
  // It runs until the test lets it end.
  await writeFile(`${program}`, `#!/bin/sh\n: > ${begun}\nwhile [ ! -e ${ended} ]; do sleep 0.05; done\n`, {
    mode: 0o755,
  });
  const events: GuardEvent['what'][] = [];
  const guard = new GuardChild({
    process: options,
    wire: realClock(),
    onGuardEvent: ({ what }) => events.push(what),
    switchOffProgram: `${program}`,
  });
  await guard.start();
  onTestFinished(() => guard.stop());
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = '/nothing/node';
  process.kill(guard.pid ?? 0, 'SIGKILL');
  const lostMs = performance.now();
  await vi.waitFor(() => expect(existsSync(`${begun}`)).toBe(true), 10_000);
  expect(performance.now() - lostMs).toBeGreaterThan(2_900);
  process.execPath = execPath;
  // Two seconds: eight attempts to start a guard.
  await realClock().sleep(2_000);
  expect(events).toEqual(['guard_ready', 'guard_lost']);
  await writeFile(`${ended}`, '');
  await vi.waitFor(() => expect(events).toEqual(['guard_ready', 'guard_lost', 'guard_ready']), 10_000);
});

it('does not wait for ever for a native program that hangs', async () => {
  const { options } = await boardForGuard();
  const folder = await mkdtemp(join(tmpdir(), 'lcs-guard-child-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [program, begun] = [join(folder, 'program'), join(folder, 'begun')];
  await writeFile(program, `#!/bin/sh\necho $$ > ${begun}.new && mv ${begun}.new ${begun}\nexec sleep 600\n`, {
    mode: 0o755,
  });
  const events: GuardEvent['what'][] = [];
  const clock = new VirtualClock();
  const guard = new GuardChild({
    process: options,
    wire: clock,
    onGuardEvent: ({ what }) => events.push(what),
    switchOffProgram: program,
  });
  await guard.start();
  onTestFinished(async () => {
    const stopped = guard.stop();
    await clock.advance(2000);
    await stopped;
  });
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = '/nothing/node';
  process.kill(guard.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(events).toEqual(['guard_ready', 'guard_lost']), 10_000);
  await clock.advance(3000);
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true), 10_000);
  const pid = Number(await readFile(begun, 'utf8'));
  process.execPath = execPath;
  // The next guard waits for the program, which is given up.
  await clock.advance(6500);
  expect([isRunning(pid), events.length]).toEqual([true, 2]);
  await vi.waitFor(async () => {
    await clock.advance(250);
    expect(events).toEqual(['guard_ready', 'guard_lost', 'guard_ready']);
  }, 10_000);
  expect(isRunning(pid)).toBe(false);
});

it('that does not answer is killed although each limit of its node comes late', async () => {
  const { options } = await boardForGuard();
  const clock = new VirtualClock();
  const events: GuardEvent['what'][] = [];
  const guard = new GuardChild({
    process: options,
    // Every timer is a fifth of a second late, as on a computer that is short of processor time.
    wire: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms + 200, signal),
      after: (ms, run) => clock.after(ms + 200, run),
      every: (ms, run) => clock.every(ms, run),
      hold: (reason) => clock.hold(reason),
    },
    onGuardEvent: ({ what }) => events.push(what),
  });
  await guard.start();
  onTestFinished(async () => {
    const stopped = guard.stop();
    await clock.advance(3000);
    await stopped;
  });
  process.kill(guard.pid ?? 0, 'SIGSTOP');
  const lost = expect(guard.request({ kind: 'renew', leases: [] })).rejects.toThrow(GuardLost);
  await clock.advance(6300);
  expect(events).toEqual(['guard_ready']);
  await clock.advance(200);
  await lost;
  expect(events).toEqual(['guard_ready', 'guard_lost']);
});

it('that cannot be started prevents the start of its node, with the reason', async () => {
  const { options } = await boardForGuard();
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = '/nothing/node';
  const guard = new GuardChild({ process: options, wire: realClock(), onGuardEvent: () => {} });
  await expect(guard.start()).rejects.toThrow(StartupError);
  await guard.stop();
  expect(guard.endedSafely).toBe(false);
});

it('reports the ends of runs before its own loss, however late its node reads them', async () => {
  const { options } = await boardForGuard();
  const events: GuardEvent['what'][] = [];
  const guard = new GuardChild({ process: options, wire: realClock(), onGuardEvent: ({ what }) => events.push(what) });
  await guard.start();
  onTestFinished(() => guard.stop());
  const command = { lease: 'a', generation: 1 } as const;
  await guard.request({ kind: 'acquire', ...command, outputs: ['pwm1'] });
  await guard.request({ kind: 'set', ...command, output: 'pwm1', percent: 50, forMs: 50 });
  // The node is busy while the run ends, and until the guard is killed.
  const untilMs = performance.now() + 400;
  while (performance.now() < untilMs);
  process.kill(guard.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(events).toContain('guard_lost'), 5_000);
  expect(events).toEqual(['guard_ready', 'ended', 'guard_lost']);
});
