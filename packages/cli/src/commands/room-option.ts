import { dayMs } from '@lcs/contract';
import { InvalidArgumentError } from 'commander';

const number = String.raw`-?\d{1,2}(?:\.\d+)?`;
const pattern = new RegExp(`^(${number})(?:~(${number})|>(${number})@(\\d{1,4}(?:\\.\\d+)?)h)?$`);
const [coldestC, hottestC] = [0, 50];
/** A room follows its heating with this time, s. Chosen. */
const roomTimeS = 900;

const isRoom = (celsius: number): boolean => celsius >= coldestC && celsius <= hottestC;

/** The room of a simulated vial: `22`, `22~4` for a daily wave of ±4 °C, `22>30@3h` for another temperature after three hours. */
export function roomCourse(text: string) {
  const [, first, amplitude, changed, afterH] = pattern.exec(text) ?? [];
  const ambientC = Number(first);
  if (first === undefined || !isRoom(ambientC) || (changed !== undefined && !isRoom(Number(changed))))
    throw new InvalidArgumentError(
      'Enter a temperature from 0 to 50 °C: 22, or 22~4 (daily wave), or 22>30@3h (a step).',
    );
  if (amplitude !== undefined)
    return { ambientC, room: { kind: 'wave', amplitudeC: Number(amplitude), periodS: dayMs / 1000 } } as const;
  if (changed === undefined) return { ambientC };
  const step = { atS: 3600 * Number(afterH), celsius: Number(changed) };
  return { ambientC, room: { kind: 'steps', steps: [step], timeConstantS: roomTimeS } } as const;
}
