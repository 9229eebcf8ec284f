import type { Clock } from '@lcs/platform';
import type { Buses } from '../buses/buses.ts';
import type { GuardProcessOptions } from './guard-message.ts';

interface GuardBuses {
  readonly buses: Buses;
  /**
   * Whether there is a board whose outputs can be on. A real one is there as long as the computer runs, answering or not; the outputs
   * of a simulated one end with its process.
   */
  boardExists(): Promise<boolean>;
}

/** The guard's own access to the board. It loads only the modules it needs, so that its process is small. */
export async function guardBuses({ board, layout }: GuardProcessOptions, wire: Clock): Promise<GuardBuses> {
  if (board.kind === 'simulated') {
    const { BoardLink } = await import('../board-process/board-link.ts');
    const buses = new BoardLink({ socketPath: board.socketPath, wire });
    return { buses, boardExists: () => buses.isReached() };
  }
  const { LinuxBuses } = await import('../linux/linux-buses.ts');
  const buses = new LinuxBuses({ places: board.places, lines: layout.pwmLines, wire });
  return { buses, boardExists: async () => true };
}
