import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BoardVersion,
  boardVersions,
  findHat,
  findOutputDrives,
  type Hat,
  isBoardVersion,
  kernelFiles,
  LinuxBuses,
  type LinuxPlaces,
  layoutOf,
  makeSafeWithin,
  openUnitBoard,
  type UnitBoard,
  type UnsafeOutput,
} from '@lcs/hardware';
import { type Clock, type Log, realClock, StartupError } from '@lcs/platform';
import { readBoardFiles } from './board-files.ts';
import { createFolder } from './create-folder.ts';

/** The board on the header of this computer. */
export interface LinuxBoardChoice {
  readonly kind: 'linux';
  /** Instead of the version in the board's EEPROM. */
  readonly version?: string;
  readonly places?: LinuxPlaces;
  /** Default: `/proc/device-tree`. */
  readonly deviceTree?: string;
  /** Of the service: what its native program needs to switch off after the unit has ended is written there. */
  readonly runtimeFolder?: string;
  /** That program: it switches every output off while no guard can. */
  readonly switchOffProgram?: string;
}

/** The version of a board whose version is unknown. */
const usualVersion: BoardVersion = '1.2';

/** The I2C bus of the board, unless another one is chosen. */
const usualBus = 1;

/** Outputs that fail are tried again for this long, as the native program of the service does. */
const offWithinMs = 5000;

/** The board of this computer, if it is a supported one. */
export const detectBoard = (deviceTree = '/proc/device-tree'): Promise<Hat | undefined> =>
  findHat(kernelFiles(deviceTree));

/** @throws StartupError for a requested version that does not exist */
async function versionOf({ version, deviceTree }: LinuxBoardChoice, log: Log): Promise<BoardVersion> {
  if (version !== undefined) {
    if (isBoardVersion(version)) return version;
    throw new StartupError(`Unknown board version ${version}. Known versions: ${boardVersions.join(', ')}.`);
  }
  const hat = await detectBoard(deviceTree);
  if (hat !== undefined && isBoardVersion(hat.version)) return hat.version;
  const found =
    hat === undefined ? 'The board has no readable version' : `The board has the unknown version ${hat.version}`;
  log.warn(`${found}: it is treated as version ${usualVersion}.`);
  return usualVersion;
}

/** The real board, wired according to the data folder. It is not accessed yet. @throws StartupError */
export async function openLinuxBoard(
  choice: LinuxBoardChoice,
  { dataFolder, wire, log }: { readonly dataFolder: string; readonly wire: Clock; readonly log: Log },
): Promise<UnitBoard> {
  const version = await versionOf(choice, log);
  const changes = await readBoardFiles(dataFolder);
  const run = join(dataFolder, 'run');
  await createFolder(run);
  await logOutputDrives(choice.places?.sysfs, log);
  if (choice.runtimeFolder !== undefined) {
    const { chip, address } = layoutOf(version, undefined, changes).ledDriver;
    await writeFile(join(choice.runtimeFolder, 'leds'), `${chip} ${choice.places?.i2cBus ?? usualBus} ${address}\n`);
  }
  return openUnitBoard({
    kind: 'linux',
    places: choice.places ?? {},
    watchdogPath: join(run, 'watchdog.pid'),
    wire,
    ...(choice.switchOffProgram === undefined ? {} : { switchOffProgram: choice.switchOffProgram }),
    layoutFor: (model) => layoutOf(version, model, changes),
  });
}

/** Whether the outputs depend on a program to go off. */
async function logOutputDrives(sysfs = '/sys', log: Log): Promise<void> {
  const drives = await findOutputDrives(kernelFiles(sysfs));
  const channels = Object.entries(drives).flatMap(([channel, drive]) => (drive === 'led_with_end' ? [] : [channel]));
  if (channels.length === 0)
    log.info('The kernel switches the PWM outputs off when the unit no longer sets them.', { drives });
  else
    log.warn(
      `PWM outputs ${channels.join(', ')} keep their level if every process of the unit ends: load the overlay lcs-outputs (lcs setup --outputs lcs-outputs).`,
      { drives },
    );
}

/**
 * Switches off every output of the real board, without a node and without a guard. What fails is tried again for five seconds: one
 * missing acknowledgement leaves no light on. Outputs that fail to the end are returned.
 * @throws StartupError
 */
export async function switchOutputsOff(
  choice: LinuxBoardChoice,
  { dataFolder, log, wire = realClock() }: { readonly dataFolder: string; readonly log: Log; readonly wire?: Clock },
): Promise<readonly UnsafeOutput[]> {
  const version = await versionOf(choice, log);
  const layout = layoutOf(version, undefined, await readBoardFiles(dataFolder));
  const buses = new LinuxBuses({ places: choice.places ?? {}, lines: layout.pwmLines, wire });
  try {
    return await makeSafeWithin(offWithinMs, wire, buses, layout);
  } finally {
    await buses.stop();
  }
}
