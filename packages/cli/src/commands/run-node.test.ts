import { UncleanStop, VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { CommandFailure } from '../program-io.ts';
import { runNode } from './run-node.ts';

describe('a node that is a service', () => {
  const clock = new VirtualClock();
  const sent: string[] = [];
  let guardSilentMs = 0;
  let ask = (): void => {};
  const io = {
    onSignal: (_: string, action: () => void) => {
      ask = action;
    },
    exit: () => {},
    serviceManager: { watchdogMs: 30_000, send: (message: string) => sent.push(message) },
  };
  const node = {
    name: 'node',
    failed: new Promise<void>(() => {}),
    start: async () => {},
    stop: async () => {},
    get guardSilentMs() {
      return guardSilentMs;
    },
  };

  it('is ready, lives while its guard answers, and stops', async () => {
    const up = Promise.withResolvers<void>();
    const run = runNode(io, node, 'unit', () => up.resolve(), clock);
    await up.promise;
    await clock.advance(20_000);
    expect(sent).toEqual(['READY=1', 'READY=1\nWATCHDOG=1', 'READY=1\nWATCHDOG=1']);
    guardSilentMs = 10_001;
    await clock.advance(60_000);
    expect(sent.length).toBe(3);
    guardSilentMs = 0;
    await clock.advance(10_000);
    ask();
    await run;
    expect(sent.slice(3)).toEqual(['READY=1\nWATCHDOG=1', 'STOPPING=1']);
    await clock.advance(60_000);
    expect(sent.length).toBe(5);
  });
});

describe('a node that receives a signal to end', () => {
  let clock: VirtualClock;
  let calls: string[];
  let stopped: PromiseWithResolvers<void>;
  let ask: () => void;
  let run: Promise<void>;

  beforeEach(async () => {
    clock = new VirtualClock();
    calls = [];
    stopped = Promise.withResolvers();
    const io = {
      onSignal: (_: string, action: () => void) => {
        ask = action;
      },
      exit: (code: number) => calls.push(`exit ${code}`),
    };
    const node = {
      name: 'node',
      failed: new Promise<void>(() => {}),
      start: async () => {},
      stop: () => {
        calls.push('stop');
        return stopped.promise;
      },
    };
    const up = Promise.withResolvers<void>();

    run = runNode(io, node, 'unit', () => up.resolve(), clock);
    await up.promise;
  });

  it('stops in order, also when it receives the signal twice at the same time', async () => {
    ask();
    await clock.advance(900);
    ask();
    stopped.resolve();
    await run;
    expect(calls).toEqual(['stop']);
  });

  it('fails when a part did not stop', async () => {
    ask();
    stopped.reject(new UncleanStop([new Error('rx007 did not stop within 3000 ms.')], 'unclean'));
    await expect(run).rejects.toBeInstanceOf(CommandFailure);
    await expect(run).rejects.toMatchObject({
      report: { error: 'The unit ended before all of it had stopped.' },
      // Parts that did not stop must not keep the process running.
      endsProcess: true,
    });
  });

  it('ends at once when it hangs and receives a second signal', async () => {
    ask();
    await clock.advance(1_000);
    ask();
    expect(calls).toEqual(['stop', 'exit 130']);
  });
});

it('names the file or folder that prevents the start of a node', async () => {
  const taken = Object.assign(new Error("EEXIST: file already exists, mkdir '/data/exports'"), {
    code: 'EEXIST',
    path: '/data/exports',
  });
  const node = {
    name: 'node',
    failed: new Promise<void>(() => {}),
    start: () => Promise.reject(taken),
    stop: async () => {},
  };
  const io = { onSignal: () => {}, exit: () => {} };
  await expect(runNode(io, node, 'leader', () => {})).rejects.toMatchObject({
    report: {
      error: 'The leader cannot start.',
      cause: '/data/exports cannot be used: it is a file.',
      remediation: expect.any(String),
    },
  });
  const bug = new TypeError('x is not a function');
  await expect(runNode(io, { ...node, start: () => Promise.reject(bug) }, 'leader', () => {})).rejects.toBe(bug);
});
