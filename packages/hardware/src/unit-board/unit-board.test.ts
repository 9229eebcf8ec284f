import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LifecycleTree, realClock, silentLog, VirtualClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoardLink } from '../board-process/board-link.ts';
import { readWitness } from '../board-process/witness-file.ts';
import { Tmp1075 } from '../chips/tmp1075.ts';
import type { GuardEvent } from '../guard/guard-link.ts';
import { openUnitBoard } from './open-unit-board.ts';
import type { UnitBoard } from './unit-board.ts';

const heat = { reduceCelsius: 78, disableCelsius: 80, shutdownCelsius: 85 };
const wire = realClock();

const started = async (board: UnitBoard): Promise<LifecycleTree> => {
  const tree = new LifecycleTree('unit board', board.parts, { wire, log: silentLog() });
  await tree.start(new AbortController().signal);
  return tree;
};

describe('a unit’s board beside its node', () => {
  it('warms the vial on virtual time, and continues from its saved state', async () => {
    const clock = new VirtualClock();
    const open = (vial: object) => openUnitBoard({ kind: 'simulated_here', seed: 1, clock, vial });
    const board = open({});
    const tree = await started(board);
    await board.actuators.setLimits({ heat, pumps: {} });
    const lease = await board.actuators.acquire(1, ['pwm5']);
    await lease.set('pwm5', 25);
    await clock.advance(600_000);
    const celsius = await new Tmp1075(board.buses.i2c, board.layout.temperatureAddress).readCelsius();
    expect(celsius).toBeGreaterThan(30);
    await tree.stop();
    expect(clock.pendingTimers).toBe(0);
    const again = open({ state: board.saveState?.() });
    const warm = await new Tmp1075(again.buses.i2c, board.layout.temperatureAddress).readCelsius();
    expect(warm).toBeCloseTo(celsius, 0);
  });

  it('publishes what its guard does by itself, after the actuators have processed it', async () => {
    const clock = new VirtualClock();
    const board = openUnitBoard({ kind: 'simulated_here', seed: 1, clock, vial: {} });
    const events: GuardEvent[] = [];
    const cancel = board.onGuardEvent((event) => events.push(event));
    const tree = await started(board);
    const lease = await board.actuators.acquire(1, ['ledB']);
    await lease.set('ledB', 10, 1000);
    await clock.advance(1000);
    expect(events).toEqual([{ what: 'ended', output: 'ledB', ranMs: 1000 }]);
    cancel();
    await lease.set('ledB', 10, 1000);
    await clock.advance(1000);
    expect(events).toHaveLength(1);
    await tree.stop();
  });
});

describe('a unit’s board as a process', () => {
  let folder: string;
  let socketPath: string;
  let witnessPath: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lcs-unit-board-'));
    socketPath = join(folder, 'board.sock');
    witnessPath = join(folder, 'witness.jsonl');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = () =>
    openUnitBoard({
      kind: 'simulated_process',
      socketPath,
      wire,
      watchdogPath: join(folder, 'watchdog.pid'),
      own: { witnessPath, seed: 1, vial: {} },
    });
  const levels = () => readWitness(witnessPath).flatMap((entry) => (entry.kind === 'output' ? [entry.percent] : []));
  const isThere = async () => {
    const link = new BoardLink({ socketPath, wire });
    return link.start().then(
      async () => link.stop().then(() => true),
      () => false,
    );
  };

  it('is started with its node, driven through the guard’s process, and gone after a clean stop', async () => {
    const board = open();
    const tree = await started(board);
    const lease = await board.actuators.acquire(1, ['ledA']);
    await lease.set('ledA', 80);
    expect(levels()).toEqual([80]);
    await tree.stop();
    expect(levels()).toEqual([80, 0]);
    expect(await isThere()).toBe(false);
  });

  it('is found again by the next node when the one before it was killed', async () => {
    const [own] = open().parts;
    // A killed node stops nothing: its board is simply left.
    await own?.start(new AbortController().signal);
    const starts = () => readWitness(witnessPath).filter(({ kind }) => kind === 'start').length;
    const tree = await started(open());
    expect(starts()).toBe(1);
    await tree.stop();
    await vi.waitFor(async () => expect(await isThere()).toBe(false), 20_000);
  });
});
