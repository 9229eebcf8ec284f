import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { DrawnRun } from '@lcs/domain';
import type { DrawMessage, RehearsalInput, Rehearse, RehearsedDraws } from '@lcs/leader';
import { compileCacheForChild } from '@lcs/platform';
import { hoursOfCourse } from './hours-of-course.ts';

/** Of one process: ten days of six units take less than half of it. */
const heapMiB = 512;

const programUrl = (near: string): URL => new URL(`./rehearsal-process${near.endsWith('.ts') ? '.ts' : '.js'}`, near);

type Answer = Extract<DrawMessage, { kind: 'drawn' }>;

/** Computes draws in a process of its own. */
class DrawingProcess {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(programUrl(import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${heapMiB}`],
      env: { ...process.env, ...compileCacheForChild() },
      serialization: 'advanced',
    });
    // A rehearsal must not delay what measures and controls on the same machine.
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, constants.priority.PRIORITY_LOW);
  }

  /** @throws Error when the process ends before it has answered */
  async draw(input: RehearsalInput, draw: number, onProgress: (share: number) => void): Promise<Answer> {
    const answered = Promise.withResolvers<Answer>();
    const onMessage = (message: DrawMessage) => {
      if (message.draw !== draw) return;
      if (message.kind === 'progress') onProgress(message.share);
      else if (message.kind === 'drawn') answered.resolve(message);
      else answered.reject(new Error(message.reason));
    };
    const onExit = (code: number | null, signal: string | null) =>
      answered.reject(new Error(`The process of the rehearsal has ended (${signal ?? code}).`));
    const onError = (error: Error) => answered.reject(error);
    this.#child.on('message', onMessage).once('exit', onExit).once('error', onError);
    try {
      this.#child.send({ input, draw });
      return await answered.promise;
    } finally {
      this.#child.off('message', onMessage).off('exit', onExit).off('error', onError);
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** Carries out a profile on simulated vials, once for each draw, in processes beside this one. */
export const rehearse: Rehearse = async (input, { draws, signal, onProgress }): Promise<RehearsedDraws> => {
  signal.throwIfAborted();
  const runs: DrawnRun[] = [];
  const shares = new Array<number>(draws).fill(0);
  const report = (draw: number, share: number) => {
    shares[draw] = share;
    onProgress(shares.reduce((sum, one) => sum + one, 0) / draws);
  };
  const workers = Array.from({ length: Math.min(availableParallelism(), draws) }, () => new DrawingProcess());
  const cancelled = Promise.withResolvers<never>();
  const onAbort = () => cancelled.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let memoryMib = 0;
  let next = 0;
  const work = async (worker: DrawingProcess) => {
    while (next < draws) {
      const draw = next;
      next += 1;
      const answer = await worker.draw(input, draw, (share) => report(draw, share));
      runs[draw] = answer.run;
      memoryMib = Math.max(memoryMib, answer.memoryMib);
      report(draw, 1);
    }
  };
  try {
    await Promise.race([Promise.all(workers.map(work)), cancelled.promise]);
    return { runs, memoryMib, hours: hoursOfCourse(input.hours) };
  } finally {
    signal.removeEventListener('abort', onAbort);
    await Promise.all(workers.map((worker) => worker.end()));
  }
};
