import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hostProcesses, parseProcessStatus } from './process-stamp.ts';

describe('the stamp of a process', () => {
  const processes = hostProcesses();

  it('finds its own process running', async () => {
    expect(await processes.isAlive(await processes.self())).toBe(true);
  });

  it('does not take a later process of the same number, nor one before a reboot, for the same', async () => {
    const self = await processes.self();
    expect(await processes.isAlive({ ...self, started: '1' })).toBe(false);
    expect(await processes.isAlive({ ...self, bootId: 'another' })).toBe(false);
    expect(await processes.isAlive({ ...self, pid: 2 ** 22 + 1 })).toBe(false);
  });

  it('compares the number alone where the system has no start time', async () => {
    const self = await processes.self();
    expect(await processes.isAlive({ ...self, started: '' })).toBe(true);
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(await processes.isAlive({ ...self, started: '', pid: child.pid ?? 0 })).toBe(false);
  });

  it('is read from the fields after the name, which may contain anything', () => {
    const fields = Array.from({ length: 19 }, (_, index) => `${index + 4}`).join(' ');
    expect(parseProcessStatus(`7 (a) R 1 (b c)) S ${fields}\n`)).toEqual({ state: 'S', started: '22' });
    expect(parseProcessStatus('7 (a) S 1 2')).toBeUndefined();
    expect(parseProcessStatus('')).toBeUndefined();
  });
});
