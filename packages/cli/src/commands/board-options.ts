import { type Command, InvalidArgumentError, Option } from 'commander';

const boardKinds = ['auto', 'simulated', 'linux'] as const;
type BoardKind = (typeof boardKinds)[number];

/** Which board a command is about. */
export interface BoardOptions {
  readonly board: BoardKind;
  readonly boardVersion?: string;
  readonly i2cBus?: number;
}

const busNumber = (text: string): number => {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('a bus has a number, as in /dev/i2c-1.');
  return Number(text);
};

/** Options of commands that may reach the board of this computer. */
export const addBoardOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--board <kind>', 'auto: the board of this computer if one is detected, else a simulated one')
        .choices(boardKinds)
        .default('auto'),
    )
    .option('--board-version <version>', 'of the board, instead of what it tells: 1.0, 1.1 or 1.2')
    .option('--i2c-bus <number>', 'the board is on /dev/i2c-<number>; usually 1', busNumber);

/** The board of this computer, as these options tell it. */
export const linuxChoice = ({ boardVersion, i2cBus }: BoardOptions) =>
  ({
    kind: 'linux',
    ...(boardVersion === undefined ? {} : { version: boardVersion }),
    ...(i2cBus === undefined ? {} : { places: { i2cBus } }),
  }) as const;
