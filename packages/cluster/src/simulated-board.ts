import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BoardLayout,
  type Buses,
  openUnitBoard,
  type UnitBoard,
  UnknownSimulation,
  type VialPlantSettings,
} from '@lcs/hardware';
import { type Clock, type Log, StartupError } from '@lcs/platform';
import { createFolder } from './create-folder.ts';
import { savedVial, VialFile, vialPathIn } from './vial-file.ts';

export interface SimulatedBoardChoice {
  /** `here`: board and guard as objects of this process, on its clock. `process`: each a process of its own. */
  readonly kind: 'here' | 'process';
  readonly seed: number;
  readonly vial?: VialPlantSettings;
  /** Default: slot by slot. */
  readonly oversampling?: 'slot_by_slot' | 'closed_form';
  /** Of a board that is here. Default: board 1.2 with two photodiodes. */
  readonly layout?: BoardLayout;
  /** Wraps the buses of a board in this process, for example to count transactions. */
  readonly between?: (board: Buses) => Buses;
  /** Witness file of a board process; default: none. */
  readonly witnessPath?: string;
}

interface BoardSurroundings {
  readonly unit: string;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
}

interface OpenedBoard {
  readonly board: UnitBoard;
  /** Saves the vial if it is simulated in this process. */
  readonly vialFile: VialFile | undefined;
}

/** The address of a Unix socket is short: sun_path has 108 bytes on Linux. */
const longestSocketPath = 100;

/**
 * The simulated board of a unit: its vial continues from its state in the data folder, unless a state is given.
 * @throws StartupError for settings that the simulator does not know
 */
export async function openSimulatedBoard(
  choice: SimulatedBoardChoice,
  { unit, dataFolder, clock, wire, log }: BoardSurroundings,
): Promise<OpenedBoard> {
  const { kind, seed, oversampling, between, layout } = choice;
  try {
    const left = choice.vial?.state === undefined ? await savedVial(dataFolder, clock, log) : undefined;
    const vial: VialPlantSettings = { unit, ...choice.vial, ...left };
    if (kind === 'here') {
      const board = openUnitBoard({
        kind: 'simulated_here',
        seed,
        vial,
        clock,
        ...(oversampling && { oversampling }),
        ...(between && { between }),
        ...(layout && { layout }),
      });
      return { board, vialFile: new VialFile(board, dataFolder, { clock, wire, log }) };
    }
    const socketPath = await socketPathIn(dataFolder);
    const watchdogPath = join(dataFolder, 'run', 'watchdog.pid');
    const own = {
      witnessPath: choice.witnessPath ?? '/dev/null',
      statePath: vialPathIn(dataFolder),
      seed,
      vial,
    };
    return {
      board: openUnitBoard({ kind: 'simulated_process', socketPath, watchdogPath, wire, own }),
      vialFile: undefined,
    };
  } catch (error) {
    throw error instanceof UnknownSimulation ? new StartupError(error.message, { cause: error }) : error;
  }
}

/** Always the same for the same folder: the next node must find the board of a killed one. */
async function socketPathIn(dataFolder: string): Promise<string> {
  const run = join(dataFolder, 'run');
  await createFolder(run);
  const path = join(run, 'board.sock');
  if (Buffer.byteLength(path) <= longestSocketPath) return path;
  const name = createHash('sha256')
    .update(await realpath(run))
    .digest('hex')
    .slice(0, 24);
  return join(tmpdir(), `lcs-board-${name}.sock`);
}
