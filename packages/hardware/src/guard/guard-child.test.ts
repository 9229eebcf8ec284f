import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@lcs/platform';
import { expect, it, onTestFinished } from 'vitest';
import { board12 } from '../board-layout.ts';
import { startBoardProcess } from '../board-process/start-board-process.ts';
import { GuardChild } from './guard-child.ts';
import { usualWiring } from './guard-types.ts';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it.each(['runs', 'stands still'])('ends with its node when it %s', async (how) => {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-guard-child-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const socketPath = join(folder, 'board.sock');
  const board = await startBoardProcess({
    socketPath,
    witnessPath: '/dev/null',
    seed: 1,
    layout: board12,
    plantModule: new URL('../simulated/test-plant.ts', import.meta.url).href,
    plantOptions: {},
  });
  onTestFinished(() => board.stop());
  const options = { board: { kind: 'simulated', socketPath }, layout: board12, wiring: usualWiring } as const;
  const guard = new GuardChild({ process: options, wire: realClock(), onNews: () => {} });
  await guard.start();
  const pid = guard.pid ?? 0;
  expect(isRunning(pid)).toBe(true);
  if (how === 'stands still') process.kill(pid, 'SIGSTOP');
  await guard.stop();
  expect(isRunning(pid)).toBe(false);
});
