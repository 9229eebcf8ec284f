import { VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
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

  it('ends at once when it hangs and is asked again', async () => {
    ask();
    await clock.advance(1_000);
    ask();
    expect(said).toEqual(['stop', 'exit 130']);
  });
});
