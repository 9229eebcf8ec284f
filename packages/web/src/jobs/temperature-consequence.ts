import { forecastSpanText, thermostatAutomation, warmUpMs } from '@lcs/domain';
import { digitsText } from '../ui/number-text.ts';
import { jobsWords } from '../words/jobs.ts';

/** The room that a forecast assumes, °C: a usual laboratory. The liquid of a vial without heat is not warmer. */
const usualRoomC = 22;

/** The liquid of a unit; null: there is no current reading. */
export interface UnitTemperature {
  /** Its label. */
  readonly unit: string;
  readonly liquidC: number | null;
}

const shown = (celsius: number): string => digitsText(celsius, 3);

function warmingText({ unit, liquidC }: UnitTemperature, targetC: number): string {
  const target = shown(targetC);
  const roomC = Math.min(usualRoomC, liquidC ?? usualRoomC);
  const durationMs = warmUpMs({ liquidC: liquidC ?? roomC, targetC, roomC });
  const room = shown(roomC);
  if (durationMs === undefined) return jobsWords.liquidTargetNotReached(unit, target, room);
  const span = forecastSpanText(durationMs);
  if (liquidC === null) return jobsWords.liquidNotMeasured(unit, target, room, span);
  const now = shown(liquidC);
  if (durationMs > 0) return jobsWords.liquidWarms(unit, now, target, span, room);
  return liquidC > targetC + 0.5 ? jobsWords.liquidCools(unit, now, target) : jobsWords.liquidIsKept(unit, now, target);
}

/** What a thermostat does on each unit; empty for a mode that does not heat, and while the form has no target. */
export function temperatureConsequences(
  automation: string | null,
  targetC: unknown,
  units: readonly UnitTemperature[],
): readonly string[] {
  if (automation !== thermostatAutomation.name || typeof targetC !== 'number' || targetC < 0) return [];
  return units.map((unit) => warmingText(unit, targetC));
}
