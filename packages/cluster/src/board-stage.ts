import type { UnitBoard } from '@lcs/hardware';
import type { Stage } from '@lcs/platform';
import { type LinuxBoardChoice, openLinuxBoard } from './linux-board.ts';
import type { NodeInputs } from './node-inputs.ts';
import { openSimulatedBoard, type SimulatedBoardChoice } from './simulated-board.ts';
import type { VialFile } from './vial-file.ts';

export type BoardChoice = SimulatedBoardChoice | LinuxBoardChoice;

export interface BoardInputs {
  readonly boardChoice: BoardChoice;
}

export interface BoardOutputs {
  readonly board: UnitBoard;
  /** Saves a vial that is simulated in this process. */
  readonly vialFile: VialFile | undefined;
}

/**
 * The board and its guard. The guard switches everything off when it starts, whatever the state of the databases.
 * @throws StartupError
 */
export async function boardStage(inputs: NodeInputs & BoardInputs): Promise<Stage<BoardOutputs>> {
  const { name: unit, folder, clock, wire, log, boardChoice: choice } = inputs;
  const places = { unit, dataFolder: folder.path, clock, wire, log };
  const opened: BoardOutputs =
    choice.kind === 'linux'
      ? { board: await openLinuxBoard(choice, places), vialFile: undefined }
      : await openSimulatedBoard(choice, places);
  const { board, vialFile } = opened;
  return { outputs: opened, services: [...(vialFile ? [vialFile] : []), ...board.parts] };
}
