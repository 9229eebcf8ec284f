import { StoppedUncleanly, VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { CommandFailure } from '../program-io.ts';
import { runNode } from './run-node.ts';

describe('a node that is asked to end', () => {
  let clock: VirtualClock;
  let said: string[];
  let stopped: PromiseWithResolvers<void>;
  let ask: () => void;
  let run: Promise<void>;

  beforeEach(async () => {
    clock = new VirtualClock();
    said = [];
    stopped = Promise.withResolvers();
    const io = {
      onSignal: (_: string, action: () => void) => {
        ask = action;
      },
      exit: (code: number) => said.push(`exit ${code}`),
    };
    const node = {
      name: 'node',
      failed: new Promise<void>(() => {}),
      start: async () => {},
      stop: () => {
        said.push('stop');
        return stopped.promise;
      },
    };
    const up = Promise.withResolvers<void>();

    run = runNode(io, node, 'unit', () => up.resolve(), clock);
    await up.promise;
  });

  it('stops in order, also when it is told twice at the same time', async () => {
    ask();
    await clock.advance(900);
    ask();
    stopped.resolve();
    await run;
    expect(said).toEqual(['stop']);
  });

  it('fails with a sentence when it leaves something behind', async () => {
    ask();
    stopped.reject(new StoppedUncleanly([new Error('rx007 did not stop within 3000 ms.')], 'unclean'));
    await expect(run).rejects.toBeInstanceOf(CommandFailure);
    await expect(run).rejects.toMatchObject({
      report: { error: 'The unit ended before all of it had stopped.' },
      // What was left behind must not keep the process.
      endsProcess: true,
    });
  });

  it('ends at once when it hangs and is asked again', async () => {
    ask();
    await clock.advance(1_000);
    ask();
    expect(said).toEqual(['stop', 'exit 130']);
  });
});

it('says in a sentence which file or folder keeps a node from starting', async () => {
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
      remediation: 'Put that right, then start it again.',
    },
  });
  const bug = new TypeError('x is not a function');
  await expect(runNode(io, { ...node, start: () => Promise.reject(bug) }, 'leader', () => {})).rejects.toBe(bug);
});
