import { doseLimit, type Pump } from '@lcs/domain';
import { digitsText, roundText } from '../ui/number-text.ts';
import { unitWords } from '../words/unit.ts';

/** What a dose by hand starts from; `null`: not known. */
export interface DoseStart {
  readonly volumeMl: number | null;
  readonly wasteTubeMl: number | null;
  /** The unit refuses to fill its vial up to this volume. */
  readonly fullMl: number | null;
  readonly mediaLeftMl: number | null;
}

/** A consequence of a dose, and why the unit would refuse it. */
export interface DoseForecast {
  readonly text: string;
  readonly fault: string | null;
}

/** Sentences, one after the other. */
const joined = (...sentences: readonly string[]): string => sentences.filter((one) => one !== '').join(' ');

const ml = (value: number): string => `${value >= 1000 ? roundText(value, 0) : digitsText(value, 3)} mL`;

function addForecast(pump: Exclude<Pump, 'waste'>, volumeMl: number, start: DoseStart): DoseForecast {
  const { volumeMl: nowMl, wasteTubeMl, fullMl, mediaLeftMl } = start;
  const bottleLeftMl = pump === 'media' ? (mediaLeftMl ?? undefined) : undefined;
  const bottle = bottleLeftMl === undefined ? '' : unitWords.bottleLeft(ml(bottleLeftMl));
  if (nowMl === null) return { text: joined(unitWords.vialVolumeNotKnown, bottle), fault: null };
  const afterMl = nowMl + volumeMl;
  const text = joined(unitWords.vialAfterDose(ml(nowMl), ml(afterMl)), bottle);
  const stopLimitMl = fullMl ?? Number.POSITIVE_INFINITY;
  const limit = doseLimit(pump, volumeMl, { volumeMl: nowMl, stopLimitMl, bottleLeftMl });
  if (limit === 'overflow')
    return {
      text,
      fault: unitWords.vialTooFull(ml(afterMl), ml(stopLimitMl)),
    };
  if (limit === 'bottle_empty') return { text, fault: unitWords.bottleTooEmpty(ml(bottleLeftMl ?? 0)) };
  const isAbove = wasteTubeMl !== null && afterMl > wasteTubeMl;
  return { text: isAbove ? joined(text, unitWords.wasteTubeEnds(ml(wasteTubeMl))) : text, fault: null };
}

function removeForecast(volumeMl: number, { volumeMl: nowMl, wasteTubeMl }: DoseStart): DoseForecast {
  if (nowMl === null || wasteTubeMl === null) return { text: unitWords.vialVolumeNotKnown, fault: null };
  const liquidMl = Math.min(volumeMl, Math.max(0, nowMl - wasteTubeMl));
  const tube = ml(wasteTubeMl);
  if (liquidMl === 0) return { text: unitWords.pumpMovesAirOnly(ml(nowMl), tube), fault: null };
  const text = unitWords.vialAfterRemoval(ml(nowMl), ml(nowMl - liquidMl));
  return { text: liquidMl < volumeMl ? joined(text, unitWords.thenPumpMovesAir(tube)) : text, fault: null };
}

/** What a dose of this volume does; `volumeMl` undefined: it runs for a time, and the pump has no calibration. */
export function doseForecast(pump: Pump, volumeMl: number | undefined, start: DoseStart): DoseForecast {
  if (volumeMl === undefined) return { text: unitWords.pumpNotCalibrated, fault: null };
  return pump === 'waste' ? removeForecast(volumeMl, start) : addForecast(pump, volumeMl, start);
}

/** Why an amount cannot be pumped; null: it can. A minus sign is shown and refused: without it the amount would be another one. */
export function amountFault(amount: number | string): string | null {
  if (amount === '' || amount === 0) return unitWords.amountIsNeeded;
  return typeof amount === 'number' && amount > 0 ? null : unitWords.mustBeNumberAbove0;
}
