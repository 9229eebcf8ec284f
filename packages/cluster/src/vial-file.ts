import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlantRecord, UnitBoard, VialPlantSettings, VialPlantState } from '@lcs/hardware';
import { type Cancel, type Clock, errnoOf, type Log, type Service, writeFileDurably } from '@lcs/platform';

type SavedVial = PlantRecord<VialPlantState>;

const saveEveryMs = 60_000;
/** File of the simulated vial of a unit, whichever process simulates it. */
export const vialPathIn = (dataFolder: string): string => join(dataFolder, 'storage', 'simulated_vial.json');

const isSaved = (value: unknown): value is SavedVial =>
  typeof value === 'object' && value !== null && 'at' in value && 'state' in value && typeof value.at === 'number';

/** The saved state of the simulated vial of this folder; undefined when there is none that can be used. */
export async function savedVial(
  dataFolder: string,
  clock: Clock,
  log: Log,
): Promise<Pick<VialPlantSettings, 'state' | 'passS'> | undefined> {
  try {
    const saved: unknown = JSON.parse(await readFile(vialPathIn(dataFolder), 'utf8'));
    if (!isSaved(saved)) return undefined;
    return { state: saved.state, passS: Math.max(0, clock.now() - saved.at) / 1_000 };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    log.warn('The state of the simulated vial is damaged; a new one begins');
    return undefined;
  }
}

/** Saves the state of a vial that is simulated in this process, so that the culture continues from it. */
export class VialFile implements Service {
  readonly name = 'simulated vial';
  readonly #board: UnitBoard;
  readonly #dataFolder: string;
  readonly #clock: Clock;
  /** Clock of the saving: crashes happen in real time. */
  readonly #wire: Clock;
  readonly #log: Log;
  #cancel: Cancel = () => {};

  constructor(board: UnitBoard, dataFolder: string, { clock, wire, log }: { clock: Clock; wire: Clock; log: Log }) {
    this.#board = board;
    this.#dataFolder = dataFolder;
    this.#clock = clock;
    this.#wire = wire;
    this.#log = log;
  }

  async start(): Promise<void> {
    // At once: after an early kill the next start must not find a fresh culture.
    await this.#save();
    this.#cancel = this.#wire.every(saveEveryMs, () => void this.#save());
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#save();
  }

  /** Replaces this vial permanently. */
  async replace(state: VialPlantState, passS: number): Promise<void> {
    this.#board.plant?.replace(state, passS);
    await this.#save();
  }

  async #save(): Promise<void> {
    const state = this.#board.saveState?.();
    if (state === undefined) return;
    const saved: SavedVial = { at: this.#clock.now(), state };
    try {
      await writeFileDurably(vialPathIn(this.#dataFolder), JSON.stringify(saved), { mode: 0o600 });
    } catch (error) {
      this.#log.warn('The state of the simulated vial could not be written', { error });
    }
  }
}
