import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { seedNumber, speedNumber } from './node-options.ts';
import { roomCourse } from './room-option.ts';

const boardKinds = ['auto', 'simulated', 'linux'] as const;
type BoardKind = (typeof boardKinds)[number];

/** Default of a leader: no board. */
export const leaderBoards = ['none', 'simulated', 'linux'] as const;

/** The board that a command addresses. */
export interface BoardOptions {
  readonly board: BoardKind;
  readonly boardVersion?: string;
  readonly i2cBus?: number;
}

const busNumber = (text: string): number => {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('Enter the number of the bus: 1 for /dev/i2c-1.');
  return Number(text);
};

/** Options of commands that may reach the board of this computer. */
export const addBoardOptions = (command: Command): Command =>
  addBoardPlace(
    command.addOption(
      new Option('--board <kind>', 'auto: the board of this computer if one is detected, else a simulated one')
        .choices(boardKinds)
        .default('auto'),
    ),
  );

/** Which board, and where it is. */
export const addBoardPlace = (command: Command): Command =>
  command
    .option('--board-version <version>', 'version of the board, instead of the one in its EEPROM: 1.0, 1.1 or 1.2')
    .option('--i2c-bus <number>', 'the board is on /dev/i2c-<number>; usually 1', busNumber);

/** A simulated board that is a process of its own. */
export interface SimulationOptions {
  readonly seed: number;
  readonly speed: number;
  readonly room?: ReturnType<typeof roomCourse>;
  readonly witness?: string;
}

/** A simulated board, and its guard, as processes that survive a killed node. */
export const simulatedChoice = ({ seed, speed, room, witness }: SimulationOptions) =>
  ({
    kind: 'process',
    seed,
    vial: { speed, ...room },
    ...(witness === undefined ? {} : { witnessPath: resolve(witness) }),
  }) as const;

export const addSimulationOptions = (command: Command): Command =>
  command
    .option('--seed <number>', 'the simulated vial is the same for the same seed and name', seedNumber, 1)
    .option('--speed <factor>', 'the simulated culture grows this many times faster', speedNumber, 1)
    .option('--room <course>', 'room of the simulated vial, °C: 22, 22~4 (daily wave), 22>30@3h (a step)', roomCourse)
    .option('--witness <file>', 'append each measurement and each output change of the simulated board to this file');

/** The board of this computer from these options. */
export const linuxChoice = ({ boardVersion, i2cBus }: Omit<BoardOptions, 'board'>) =>
  ({
    kind: 'linux',
    ...(boardVersion === undefined ? {} : { version: boardVersion }),
    ...(i2cBus === undefined ? {} : { places: { i2cBus } }),
  }) as const;
