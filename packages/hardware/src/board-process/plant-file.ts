import { open, rename } from 'node:fs/promises';
import type { Cancel, Clock, Service } from '@lcs/platform';
import type { Plant } from '../simulated/plant.ts';

/** Content of the file of a plant. */
export interface PlantRecord<State = unknown> {
  /** Wall time, ms. */
  readonly at: number;
  readonly state: State;
}

export interface PlantFileOptions {
  readonly path: string;
  readonly plant: Plant;
  /** The board's. */
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
}

const saveEveryMs = 60_000;

/** Saves the state of a plant on disk, from which the next board continues. Each write is atomic. */
export class PlantFile implements Service {
  readonly name = 'plant';
  readonly #options: PlantFileOptions;
  #cancel: Cancel = () => {};
  /** One write after the other. Never rejects. */
  #saved: Promise<void> = Promise.resolve();

  constructor(options: PlantFileOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    // At once: a board that is killed soon must not be followed by a fresh plant.
    await this.#save();
    this.#cancel = this.#options.clock.every(saveEveryMs, () => void this.#save());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#save();
  }

  #save(): Promise<void> {
    this.#saved = this.#saved.then(() => this.#write()).catch(this.#options.onFailure);
    return this.#saved;
  }

  async #write(): Promise<void> {
    const { path, plant, clock } = this.#options;
    const state = plant.state?.(clock.monotonic());
    if (state === undefined) return;
    const record: PlantRecord = { at: clock.now(), state };
    // Written here: the durable files of the platform would load all of it, and a board is a small process.
    const file = await open(`${path}.new`, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.new`, path);
  }
}
