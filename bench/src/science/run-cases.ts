import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

/** One run of one case, for a process of its own. */
export interface RunOrder {
  readonly caseName: string;
  readonly seed: string;
  readonly isOff: boolean;
}

export type RunAnswer = { readonly figures: readonly ScienceFigure[] } | { readonly problem: string };

/** Where the machine keeps temporary files in memory: databases of a thousand short runs would wait for the disk. */
const memoryFolder = '/dev/shm';

/** Processes that share the runs of cases. */
export class Runners {
  readonly #children: readonly ChildProcess[];

  constructor(count: number) {
    const env = existsSync(memoryFolder) ? { TMPDIR: memoryFolder, ...process.env } : process.env;
    this.#children = Array.from({ length: count }, () =>
      fork(new URL('./science-worker.ts', import.meta.url), { serialization: 'advanced', env }),
    );
  }

  /** Figures of a case for each plant, in the order of the plants. @throws Error when a run fails */
  async runs(
    { name }: ScienceCase,
    plants: readonly Plant[],
    done: (plant: Plant, figures: readonly ScienceFigure[]) => void,
  ): Promise<readonly (readonly ScienceFigure[])[]> {
    const found: (readonly ScienceFigure[])[] = [];
    const waiting = [...plants.entries()];
    const work = async (child: ChildProcess): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, plant] = next;
        const figures = await askFor(child, { caseName: name, seed: plant.seed, isOff: plant.isOff });
        found[index] = figures;
        done(plant, figures);
      }
    };
    await Promise.all(this.#children.map(work));
    return found;
  }

  stop(): void {
    for (const child of this.#children) child.kill();
  }
}

async function askFor(child: ChildProcess, order: RunOrder): Promise<readonly ScienceFigure[]> {
  const over = new AbortController();
  const { signal } = over;
  const answered = once(child, 'message', { signal });
  const exited = once(child, 'exit', { signal }).then((): never => {
    throw new Error(`The process of ${order.caseName} [${order.seed}] ended.`);
  });
  child.send(order);
  try {
    const [answer]: RunAnswer[] = await Promise.race([answered, exited]);
    if (answer === undefined || 'problem' in answer)
      throw new Error(`${order.caseName} [${order.seed}]: ${answer?.problem ?? 'no answer'}`);
    return answer.figures;
  } finally {
    over.abort();
    await Promise.allSettled([answered, exited]);
  }
}
