import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants, freemem, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { DrawnRun } from '@lcs/domain';
import type { DrawMessage, NumberedOrder, RehearsalInput, Rehearse, RehearsedDraws } from '@lcs/leader';
import { compileCacheForChild } from '@lcs/platform';
import { hoursOfCourse } from './hours-of-course.ts';

/** Of one process: ten days of six units take less than half of it. */
const heapMiB = 512;
/** Up to here no old object is collected. */
const firstHeapMiB = 128;
/** For young objects, twice: half as many collections as with 8 MiB. */
const youngMiB = 16;
/** Threads that compile and collect garbage beside the computing one: four of them cost more processor time for the same work. */
const helpingThreads = 1;
/**
 * Units that a process computes at once: code that was compiled for the objects of one unit alone would be compiled again for those of the
 * next (5 % of the processor time).
 */
const unitsAtOnce = 3;

/** A small machine keeps memory for its own work. */
const processesAtOnce = (): number =>
  Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / (2 * heapMiB * 2 ** 20))));

const programUrl = (near: string): URL => new URL(`./rehearsal-process${near.endsWith('.ts') ? '.ts' : '.js'}`, near);

type Answer = Extract<DrawMessage, { kind: 'drawn' }>;

/** Computes draws in a process of its own. */
class DrawingProcess {
  readonly #child: ChildProcess;
  #ordered = 0;

  constructor() {
    this.#child = fork(fileURLToPath(programUrl(import.meta.url)), [], {
      execArgv: [
        `--max-old-space-size=${heapMiB}`,
        `--initial-heap-size=${firstHeapMiB}`,
        `--max-semi-space-size=${youngMiB}`,
        `--v8-pool-size=${helpingThreads}`,
      ],
      env: { ...process.env, ...compileCacheForChild() },
      serialization: 'advanced',
    });
    // A rehearsal must not delay what measures and controls on the same machine.
    if (this.#child.pid !== undefined) setPriority(this.#child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }

  /** @throws Error when the process ends before it has answered */
  async draw(input: RehearsalInput, draw: number, onProgress: (share: number) => void): Promise<Answer> {
    const answered = Promise.withResolvers<Answer>();
    this.#ordered += 1;
    const order: NumberedOrder = { number: this.#ordered, input, draw };
    const onMessage = (message: DrawMessage) => {
      if (message.number !== order.number) return;
      if (message.kind === 'progress') onProgress(message.share);
      else if (message.kind === 'drawn') answered.resolve(message);
      else answered.reject(new Error(message.reason));
    };
    const onExit = (code: number | null, signal: string | null) =>
      answered.reject(new Error(`The process of the rehearsal has ended (${signal ?? code}).`));
    const onError = (error: Error) => answered.reject(error);
    this.#child.on('message', onMessage).once('exit', onExit).once('error', onError);
    try {
      this.#child.send(order);
      return await answered.promise;
    } finally {
      this.#child.off('message', onMessage).off('exit', onExit).off('error', onError);
    }
  }

  async end(): Promise<void> {
    // Without an ID it could not be started, and never exits.
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** One draw, or one unit of it. */
interface Part {
  readonly draw: number;
  readonly input: RehearsalInput;
}

/** Independent units are computed one by one: the result is then the same however many processors there are. */
function partsOf(input: RehearsalInput, draws: number): readonly Part[] {
  const alone = input.units.map((unit) => {
    const only = (names: readonly string[]) => names.filter((name) => name === unit.name);
    return { ...input, units: [unit], commonUnits: only(input.commonUnits), ownUnits: only(input.ownUnits) };
  });
  const parts = input.areIndependent ? alone : [input];
  return Array.from({ length: draws }, (_, draw) => parts.map((part) => ({ draw, input: part }))).flat();
}

/** One draw of its parts. */
const joined = (parts: readonly DrawnRun[]): DrawnRun => ({
  endedHours: parts.reduce<number | null>(
    (latest, { endedHours }) => (latest === null || endedHours === null ? null : Math.max(latest, endedHours)),
    0,
  ),
  units: parts.flatMap(({ units }) => units),
  actions: parts.flatMap(({ actions }) => actions).sort((a, b) => a.atHours - b.atHours),
  findings: parts.flatMap(({ findings }) => findings),
});

/** Carries out a profile on simulated vials, once for each draw, in processes beside this one. */
export const rehearse: Rehearse = async (input, { draws, signal, onProgress }): Promise<RehearsedDraws> => {
  signal.throwIfAborted();
  const parts = partsOf(input, draws);
  const runs: DrawnRun[] = [];
  const shares = parts.map(() => 0);
  const whole = parts.reduce((sum, part) => sum + part.input.units.length, 0);
  const report = (index: number, share: number) => {
    shares[index] = share * (parts[index]?.input.units.length ?? 0);
    onProgress(shares.reduce((sum, one) => sum + one, 0) / whole);
  };
  const workers = Array.from({ length: Math.min(processesAtOnce(), parts.length) }, () => new DrawingProcess());
  const cancelled = Promise.withResolvers<never>();
  const onAbort = () => cancelled.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let memoryMib = 0;
  const waiting = [...parts.entries()];
  const work = async (worker: DrawingProcess) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, part] = next;
      const answer = await worker.draw(part.input, part.draw, (share) => report(index, share));
      runs[index] = answer.run;
      memoryMib = Math.max(memoryMib, answer.memoryMib);
      report(index, 1);
    }
  };
  try {
    const largest = Math.max(1, ...parts.map((part) => part.input.units.length));
    // The first part of each process before the second of any: few parts are shared evenly.
    const rounds = Array.from({ length: Math.max(1, Math.floor(unitsAtOnce / largest)) }, () => workers.map(work));
    await Promise.race([Promise.all(rounds.flat()), cancelled.promise]);
    const drawn = Array.from({ length: draws }, (_, draw) =>
      joined(runs.filter((_run, index) => parts[index]?.draw === draw)),
    );
    return { runs: drawn, memoryMib, hours: hoursOfCourse(input.hours) };
  } finally {
    signal.removeEventListener('abort', onAbort);
    await Promise.all(workers.map((worker) => worker.end()));
  }
};
