import { hourMs } from '@lcs/contract';
import { cycleResponse } from './heater-cycle.ts';
import { coolingPlan, heaterCycle } from './liquid-temperature.ts';
import { type Temperatures, thermalParameters } from './thermal-network.ts';

/** The liquid counts as arrived at this distance from its target, °C. Chosen. */
const nearC = 0.3;
/** Full heat that has not reached a target by then does not reach it. Chosen: many time constants of a vial. */
const longestMs = 12 * hourMs;

const plan = coolingPlan({ model_name: '', model_version: '' });
const usualVial = thermalParameters.map(() => 0);

interface WarmUp {
  /** Of the whole vial at the beginning, °C. */
  readonly liquidC: number;
  readonly targetC: number;
  readonly roomC: number;
}

/**
 * How long a thermostat takes to warm the liquid of a usual vial: it never heats more than the rest that is missing at the end of a
 * cycle. 0: it is as warm already; undefined: full heat does not reach the target in this room.
 */
export function warmUpMs({ liquidC, targetC, roomC }: WarmUp): number | undefined {
  const { keeps, perDuty } = cycleResponse(usualVial, heaterCycle(plan));
  const wanted = targetC - roomC;
  /** Temperatures above the room. */
  let [board, sleeve, liquid]: Temperatures = [liquidC - roomC, liquidC - roomC, liquidC - roomC];
  for (let passedMs = 0; passedMs <= longestMs; passedMs += 1000 * plan.periodS) {
    if (liquid >= wanted - nearC) return passedMs;
    const after = (row: 0 | 1 | 2): number => keeps[row][0] * board + keeps[row][1] * sleeve + keeps[row][2] * liquid;
    const duty = Math.min(100, Math.max(0, (wanted - after(2)) / perDuty[2]));
    [board, sleeve, liquid] = [
      after(0) + duty * perDuty[0],
      after(1) + duty * perDuty[1],
      after(2) + duty * perDuty[2],
    ];
  }
  return undefined;
}
