import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunAnswer, RunRequest } from './small-process.ts';

type Result = RunAnswer['result'];

interface Waiting {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: Error) => void;
}

/** The program in a process of its own, which runs it as often as it is asked to. */
export interface ProgramsInSmallProcess extends AsyncDisposable {
  readonly run: (args: readonly string[], environment: Readonly<Record<string, string>>) => Promise<Result>;
}

const isAnswer = (value: unknown): value is RunAnswer =>
  typeof value === 'object' && value !== null && 'id' in value && 'result' in value;

/**
 * Runs the program beside this process, for commands that start many programs of the machine: to start one costs processor time in
 * proportion to the memory of the process that starts it, and that of the tests has hundreds of megabytes (50 ms instead of 3).
 */
export function startProgramsInSmallProcess(): ProgramsInSmallProcess {
  const child = fork(fileURLToPath(new URL('./small-process.ts', import.meta.url)), { execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  child.on('message', (message) => {
    if (!isAnswer(message)) return;
    waiting.get(message.id)?.resolve(message.result);
    waiting.delete(message.id);
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    for (const { reject } of waiting.values())
      reject(new Error(`The process of the program ended: ${code ?? signal}.`));
  });
  return {
    run: (args, environment) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        const request: RunRequest = { id: last, args, environment };
        child.send(request);
      }),
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await ended;
    },
  };
}
