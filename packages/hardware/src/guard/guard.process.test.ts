import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realClock } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { board12 } from '../board-layout.ts';
import { type BoardProcess, startBoardProcess } from '../board-process/start-board-process.ts';
import { readWitness } from '../board-process/witness-file.ts';
import type { GuardProcessOptions } from './guard-message.ts';
import { defaultWiring } from './guard-types.ts';

const clock = realClock();
const boardGoneForMs = 1_000;

interface RunningNode {
  readonly child: ChildProcess;
  readonly guardPid: number;
  /** The stderr of the node and its guard. */
  messages(): string;
}

/** A board, a node and its guard, each a process; the node has four outputs on. */
describe('outputs driven by a node', () => {
  let folder: string;
  let board: BoardProcess;
  let node: RunningNode;

  const startBoard = () =>
    startBoardProcess({
      socketPath: join(folder, 'board.sock'),
      witnessPath: join(folder, 'witness.jsonl'),
      seed: 1,
      layout: board12,
      plantModule: new URL('../testing/test-plant.ts', import.meta.url).href,
      plantOptions: {},
    });

  const witness = () => readWitness(join(folder, 'witness.jsonl'));

  /** Output levels that are not zero, as the board saw them. */
  const levels = () => {
    const newest = new Map<string, number>();
    for (const entry of witness()) if (entry.kind === 'output') newest.set(entry.output, entry.percent);
    return Object.fromEntries([...newest].filter(([, percent]) => percent > 0));
  };

  /** When the last output went off, in ms after `sinceMs`. */
  const offAfterMs = (sinceMs: number) => Math.max(...witness().map(({ at }) => at)) - sinceMs;

  const untilAllOff = () => vi.waitFor(() => expect(levels()).toEqual({}), { timeout: 5000, interval: 20 });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lcs-guard-'));
    const socketPath = join(folder, 'board.sock');
    board = await startBoard();
    node = await startNode({
      board: { kind: 'simulated', socketPath },
      layout: board12,
      wiring: defaultWiring,
      boardLostLimitMs: boardGoneForMs,
    });
    expect(levels()).toMatchObject({ pwm1: 40, pwm5: 30, ledA: 80 });
    expect(levels().pwm2).toBeCloseTo(60);
  });

  afterEach(async () => {
    node.child.kill('SIGKILL');
    await untilAllOff();
    await board.stop();
    await rm(folder, { recursive: true });
  });

  it('are off within a second after the node was killed', async () => {
    const killedAt = clock.now();
    node.child.kill('SIGKILL');
    await untilAllOff();
    expect(offAfterMs(killedAt)).toBeLessThan(1000);
  });

  it('are off within a second after the node was stopped with a signal', async () => {
    const stalledAt = clock.now();
    node.child.kill('SIGSTOP');
    await untilAllOff();
    expect(offAfterMs(stalledAt)).toBeLessThan(1000);
  });

  it('are off as soon as a new guard replaces a killed one', async () => {
    const killedAt = clock.now();
    process.kill(node.guardPid, 'SIGKILL');
    await untilAllOff();
    expect(offAfterMs(killedAt)).toBeLessThan(5000);
    expect(node.child.exitCode).toBeNull();
  });

  it.each(['guard', 'guard and node'])('keep their levels when the %s stood still for two seconds', async (who) => {
    const pids = who === 'guard' ? [node.guardPid] : [node.guardPid, Number(node.child.pid)];
    const before = witness().length;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await clock.sleep(2000);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    // Three readings of the temperature: longer than a silent node is believed to live.
    const since = () => witness().slice(before);
    await vi.waitFor(() => expect(since().filter(({ kind }) => kind === 'conversion').length).toBeGreaterThan(2), {
      timeout: 16_000,
      interval: 50,
    });
    expect(since().filter(({ kind }) => kind === 'output')).toEqual([]);
    expect(() => process.kill(node.guardPid, 0)).not.toThrow();
  });

  it('stay on while the node lives, though a signal to the whole process group reaches the guard too', async () => {
    const reads = () => witness().filter(({ kind }) => kind === 'conversion').length;
    const before = reads();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(node.guardPid, signal);
    // Three more readings of the temperature: longer than a stall may last.
    await vi.waitFor(() => expect(reads()).toBeGreaterThanOrEqual(before + 3), { timeout: 16_000, interval: 50 });
    expect(Object.keys(levels()).toSorted()).toEqual(['ledA', 'pwm1', 'pwm2', 'pwm5']);
    expect(() => process.kill(node.guardPid, 0)).not.toThrow();
  });

  it('do not keep the guard of a killed node running when the board has ended too', async () => {
    const boardEnded = board.ended;
    process.kill(board.pid, 'SIGKILL');
    await boardEnded;
    node.child.kill('SIGKILL');
    const isAlive = () => process.kill(node.guardPid, 0);
    await vi.waitFor(() => expect(isAlive).toThrow(), { timeout: 10_000, interval: 50 });
    await vi.waitFor(() => expect(node.messages()).toContain('there are no outputs'), {
      timeout: 5_000,
      interval: 20,
    });
    await rm(join(folder, 'witness.jsonl'));
    board = await startBoard();
  });

  it('are switched off by the guard of a killed node that waits for its board', async () => {
    process.kill(board.pid, 'SIGSTOP');
    node.child.kill('SIGKILL');
    await clock.sleep(3 * boardGoneForMs);
    expect(() => process.kill(node.guardPid, 0)).not.toThrow();
    process.kill(board.pid, 'SIGCONT');
    await untilAllOff();
    await vi.waitFor(() => expect(() => process.kill(node.guardPid, 0)).toThrow(), { timeout: 5_000, interval: 20 });
  });
});

async function startNode(options: GuardProcessOptions): Promise<RunningNode> {
  const program = fileURLToPath(new URL('../testing/test-node.ts', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let messages = '';
  child.stderr.on('data', (chunk: Buffer) => {
    messages += chunk.toString();
  });
  const [line] = await once(child.stdout, 'data');
  const { guard } = JSON.parse(String(line));
  return { child, guardPid: guard, messages: () => messages };
}
