import type { CalibrationContent } from '@lcs/contract';

/**
 * Why a calibration that is now in use doses wrongly, as a sentence; undefined: nothing is known against it. A pump that is
 * switched on and off at another frequency moves another volume in the same time, and the board's frequency is fixed.
 */
export function frequencyWarning(
  device: string,
  content: CalibrationContent | undefined,
  boardHz: number,
): string | undefined {
  if (content?.calibration_type !== 'simple_peristaltic_pump') return undefined;
  const { calibration_name: name, hz } = content;
  // 0: a file without frequency.
  if (hz === 0 || hz === boardHz) return undefined;
  const made = `The calibration ${name} of ${device} was made at ${hz} Hz, and this board drives its pumps at ${boardHz} Hz`;
  return `${made}: volumes may be wrong. Calibrate the pump on this unit.`;
}
