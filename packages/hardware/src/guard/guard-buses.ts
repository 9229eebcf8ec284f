import type { Clock } from '@lcs/platform';
import type { Buses } from '../buses/buses.ts';
import type { GuardProcessOptions } from './guard-message.ts';

/** The guard's own way to the board. Only what it needs is loaded: the process is to be small. */
export async function guardBuses({ board, layout }: GuardProcessOptions, wire: Clock): Promise<Buses> {
  if (board.kind === 'simulated') {
    const { BoardLink } = await import('../board-process/board-link.ts');
    return new BoardLink({ socketPath: board.socketPath, wire });
  }
  const { LinuxBuses } = await import('../linux/linux-buses.ts');
  return new LinuxBuses({ places: board.places, lines: layout.pwmLines, wire });
}
