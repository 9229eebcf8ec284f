import { type BoardVersion, converterInput, LinuxBuses, type LinuxPlaces, layoutOf, pwmChannels } from '@lcs/hardware';
import { realClock, silentLog } from '@lcs/platform';
import { type HardwarePart, HardwareSurvey, partNames, photodiodePart } from '@lcs/unit';
import { readBoardFiles } from '../board-files.ts';
import type { BoardPart } from './machine-ports.ts';

/**
 * Surveys the board of this computer as a unit does: it reads configurations of chips and looks for PWM channels and the tools of
 * GPIO. A unit may run meanwhile. Without a model, the photodiodes are those of the 40 ml reactor.
 * @throws StartupError for files of the data folder that describe the board and are invalid
 */
export async function surveyBoard(
  version: BoardVersion,
  dataFolder: string,
  places: LinuxPlaces,
): Promise<readonly BoardPart[]> {
  const layout = layoutOf(version, undefined, await readBoardFiles(dataFolder));
  const wire = realClock();
  const buses = new LinuxBuses({ places, lines: layout.pwmLines, wire });
  const survey = new HardwareSurvey({
    buses,
    layoutFor: () => layout,
    model: () => undefined,
    clock: wire,
    log: silentLog(),
    logEvent: () => {},
  });
  const photodiodes = Object.keys(layout.photodiodes).flatMap((channel) => photodiodePart(channel) ?? []);
  const parts: readonly HardwarePart[] = [
    'led_driver',
    'heater_board',
    ...photodiodes,
    'stirrer_line',
    ...pwmChannels.map((channel): HardwarePart => `pwm${channel}`),
  ];
  const addressOf = (part: HardwarePart): number | undefined => {
    if (part === 'led_driver') return layout.ledDriver.address;
    if (part === 'heater_board') return layout.temperatureAddress;
    const place = /^photodiode(\d)$/.exec(part)?.[1];
    const input = place === undefined ? undefined : survey.photodiodes[Number(place)];
    return input === undefined ? undefined : converterInput(input).address;
  };
  const nameOf = (part: HardwarePart): string => {
    const address = addressOf(part);
    return address === undefined ? partNames[part] : `${partNames[part]} (0x${address.toString(16)})`;
  };
  try {
    await survey.run();
    return parts.map((part) => ({ name: nameOf(part), silence: survey.silence(part) }));
  } finally {
    await buses.stop();
  }
}
