import { BoardController, type BoardLayout, BusError, type Buses, findHat, type KernelFiles } from '@lcs/hardware';

/** The hardware of a unit for the inventory; null if unknown. */
export interface BoardFacts {
  /** Version of the board, for instance `1.2`. */
  readonly hat: string | null;
  /** Firmware version of the board's controller, for instance `0.5`; boards with other chips have none. */
  readonly firmware: string | null;
  readonly hat_serial: string | null;
}

export interface BoardFactsOptions {
  readonly buses: Pick<Buses, 'i2c'>;
  readonly layout: Pick<BoardLayout, 'ledDriver'>;
  /** Files of `/proc/device-tree`. */
  readonly deviceTree: KernelFiles;
  /** A simulated board has no EEPROM: facts of the computer are about another board. */
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

/** Reads EEPROM, controller and computer; a part that does not respond is null. */
export async function readBoardFacts(options: BoardFactsOptions): Promise<BoardFacts> {
  const hat = options.isSimulated ? undefined : await findHat(options.deviceTree);
  return {
    hat: hat?.version ?? null,
    firmware: await firmwareOf(options),
    hat_serial: hat === undefined || hat.serial === '' ? null : hat.serial,
  };
}
