import type { CalibrationContent } from '@lcs/contract';
import { steadyCycle } from './heater-cycle.ts';
import { coolingPlan, heaterCycle } from './liquid-temperature.ts';
import { type ProbeComparison, usualPrior } from './thermal-observer.ts';

type TemperatureContent = Extract<CalibrationContent, { calibration_type: 'temperature' }>;

const usualRoomC = 22;
const usualCycle = heaterCycle(coolingPlan({ model_name: '', model_version: '' }));

/**
 * The comparisons with a probe of a calibration file. Files from before duty and board were recorded have only the estimate: they
 * count as made with a usual vial in a room of 22 °C, whose board was where a usual one is for that estimate.
 */
export function probeComparisons(content: TemperatureContent): readonly ProbeComparison[] {
  const { recorded_data: recorded, heater_duty: duties, board_temperature: boards } = content;
  const usual = steadyCycle(usualPrior.mean, usualCycle);
  return recorded.y.flatMap((probeC, index) => {
    const estimatedC = recorded.x[index];
    if (estimatedC === undefined) return [];
    const duty = duties?.[index] ?? (estimatedC - usualRoomC) / usual.liquidAboveRoom;
    return [{ duty, boardC: boards?.[index] ?? estimatedC + duty * usual.boardAboveLiquid, probeC }];
  });
}
