import { BoardController, type BoardLayout, BusError, type Buses, findHat, type KernelFiles } from '@lcs/hardware';

/** What a unit is made of, as inventories want it; null where this machine does not tell. */
export interface BoardFacts {
  /** Version of the board, for instance `1.2`. */
  readonly hat: string | null;
  /** Of the board's controller, for instance `0.5`; boards with other chips have none. */
  readonly firmware: string | null;
  readonly hat_serial: string | null;
}

export interface BoardFactsOptions {
  readonly buses: Pick<Buses, 'i2c'>;
  readonly layout: Pick<BoardLayout, 'ledDriver'>;
  /** Files of `/proc/device-tree`. */
  readonly deviceTree: KernelFiles;
  /** A board that is none has no EEPROM: what the computer says is of another one. */
  readonly isSimulated: boolean;
}

async function firmwareOf({ buses, layout }: BoardFactsOptions): Promise<string | null> {
  if (layout.ledDriver.chip !== 'controller') return null;
  try {
    const { major, minor } = await new BoardController(buses.i2c, layout.ledDriver.address).readFirmware();
    return `${major}.${minor}`;
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return null;
  }
}

/** Asks EEPROM, controller and computer; a part that does not answer is null. */
export async function readBoardFacts(options: BoardFactsOptions): Promise<BoardFacts> {
  const hat = options.isSimulated ? undefined : await findHat(options.deviceTree);
  return {
    hat: hat?.version ?? null,
    firmware: await firmwareOf(options),
    hat_serial: hat === undefined || hat.serial === '' ? null : hat.serial,
  };
}
