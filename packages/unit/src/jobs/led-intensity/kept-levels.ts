import { type LedChannel, ledChannels } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import type { JobMemory } from '../shared/job-memory.ts';

const key = 'led_intensity.levels';

/** The manual LED levels of an experiment, for a resume after a power cut. */
export class KeptLevels {
  readonly #memory: JobMemory;
  readonly #place: string;

  constructor({ experimentUid, experiment }: Pick<JobContext, 'experimentUid' | 'experiment'>, memory: JobMemory) {
    this.#memory = memory;
    this.#place = experimentUid ?? experiment;
  }

  /** The lit LEDs, %. */
  read(): readonly (readonly [LedChannel, number])[] {
    const kept: unknown = this.#memory.read(this.#place, key);
    if (typeof kept !== 'object' || kept === null) return [];
    return ledChannels.flatMap((channel) => {
      const percent: unknown = Reflect.get(kept, channel);
      return typeof percent === 'number' && percent > 0 && percent <= 100 ? [[channel, percent] as const] : [];
    });
  }

  /** Stores the lit LEDs, %. On disk when it resolves. @throws StoreError */
  async save(levels: ReadonlyMap<LedChannel, number>): Promise<void> {
    this.write(levels);
    await this.#memory.flush();
  }

  /** The same, on disk some seconds later. */
  write(levels: ReadonlyMap<LedChannel, number>): void {
    const lit = [...levels].filter(([, percent]) => percent > 0);
    this.#memory.write(this.#place, key, lit.length === 0 ? null : Object.fromEntries(lit));
  }
}
