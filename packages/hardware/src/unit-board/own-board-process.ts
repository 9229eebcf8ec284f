import type { Clock, Service } from '@lcs/platform';
import type { BoardLayout } from '../board-layout.ts';
import { BoardLink } from '../board-process/board-link.ts';
import { type BoardProcess, startBoardProcess } from '../board-process/start-board-process.ts';
import { BusError } from '../buses/bus-error.ts';
import type { Oversampling } from '../simulated/simulated-board.ts';
import type { VialPlantSettings } from '../vial-plant/vial-plant-settings.ts';
import { vialPlantModule } from '../vial-plant/vial-plant-url.ts';

export interface OwnBoardProcessOptions {
  readonly socketPath: string;
  readonly witnessPath: string;
  readonly seed: number;
  readonly vial: VialPlantSettings;
  readonly statePath?: string;
  readonly oversampling?: Oversampling;
  readonly layout: BoardLayout;
  readonly wire: Clock;
}

const endsWithinMs = 2000;
const pollMs = 20;

/** The simulated board of a node: takes over the one of a killed node, or starts one; ends it at a clean stop. */
export class OwnBoardProcess implements Service {
  readonly name = 'simulated board process';
  readonly #options: OwnBoardProcessOptions;
  /** The one this node started; undefined when another node has left it. */
  #started: BoardProcess | undefined;

  constructor(options: OwnBoardProcessOptions) {
    this.#options = options;
  }

  /** @throws StartupError */
  async start(): Promise<void> {
    if ((await this.#pid()) !== undefined) return;
    const { vial, wire: _, ...options } = this.#options;
    this.#started = await startBoardProcess({ ...options, plantModule: vialPlantModule, plantOptions: vial });
  }

  /** Resolves when the board no longer answers. */
  async stop(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    // Also when its socket was deleted with the folder.
    if (started !== undefined) return started.stop();
    const pid = await this.#pid();
    if (pid === undefined) return;
    process.kill(pid, 'SIGTERM');
    const { wire } = this.#options;
    const giveUpMs = wire.monotonic() + endsWithinMs;
    while ((await this.#pid()) !== undefined && wire.monotonic() < giveUpMs) await wire.sleep(pollMs);
  }

  /** The process that answers at the socket, if one does. */
  async #pid(): Promise<number | undefined> {
    const { socketPath, wire } = this.#options;
    const link = new BoardLink({ socketPath, wire });
    try {
      return await link.pid();
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    } finally {
      await link.stop();
    }
  }
}
