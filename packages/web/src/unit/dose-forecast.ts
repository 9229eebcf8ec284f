import { doseLimit, type Pump } from '@lcs/domain';
import { digitsText } from '../ui/number-text.ts';

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

const ml = (value: number): string => `${digitsText(value, 3)} mL`;

function addForecast(pump: Exclude<Pump, 'waste'>, volumeMl: number, start: DoseStart): DoseForecast {
  const { volumeMl: nowMl, wasteTubeMl, fullMl, mediaLeftMl } = start;
  const bottleLeftMl = pump === 'media' ? (mediaLeftMl ?? undefined) : undefined;
  const bottle = bottleLeftMl === undefined ? '' : ` The bottle has ${ml(bottleLeftMl)} left.`;
  if (nowMl === null) return { text: `The volume in the vial is not known.${bottle}`, fault: null };
  const afterMl = nowMl + volumeMl;
  const text = `The vial has ${ml(nowMl)} and ${ml(afterMl)} after it.${bottle}`;
  const stopLimitMl = fullMl ?? Number.POSITIVE_INFINITY;
  const limit = doseLimit(pump, volumeMl, { volumeMl: nowMl, stopLimitMl, bottleLeftMl });
  if (limit === 'overflow')
    return {
      text,
      fault: `The vial would have ${ml(afterMl)}; it must stay below ${ml(stopLimitMl)}. Remove waste first.`,
    };
  if (limit === 'bottle_empty') return { text, fault: `The bottle has ${ml(bottleLeftMl ?? 0)} left only.` };
  const isAbove = wasteTubeMl !== null && afterMl > wasteTubeMl;
  return { text: isAbove ? `${text} The waste tube ends at ${ml(wasteTubeMl)}.` : text, fault: null };
}

function removeForecast(volumeMl: number, { volumeMl: nowMl, wasteTubeMl }: DoseStart): DoseForecast {
  if (nowMl === null || wasteTubeMl === null) return { text: 'The volume in the vial is not known.', fault: null };
  const liquidMl = Math.min(volumeMl, Math.max(0, nowMl - wasteTubeMl));
  const tube = `The waste tube ends at ${ml(wasteTubeMl)}`;
  if (liquidMl === 0) return { text: `The vial has ${ml(nowMl)}. ${tube}: the pump would move air only.`, fault: null };
  const text = `The vial has ${ml(nowMl)} and ${ml(nowMl - liquidMl)} after it.`;
  return { text: liquidMl < volumeMl ? `${text} ${tube}: then the pump moves air.` : text, fault: null };
}

/** What a dose of this volume does; `volumeMl` undefined: it runs for a time, and the pump has no calibration. */
export function doseForecast(pump: Pump, volumeMl: number | undefined, start: DoseStart): DoseForecast {
  if (volumeMl === undefined)
    return { text: 'This pump is not calibrated, so the volume of a run by time is not known.', fault: null };
  return pump === 'waste' ? removeForecast(volumeMl, start) : addForecast(pump, volumeMl, start);
}

/** Why an amount cannot be pumped; null: it can. A minus sign is shown and refused: without it the amount would be another one. */
export function amountFault(amount: number | string): string | null {
  if (amount === '' || amount === 0) return 'An amount is needed.';
  return typeof amount === 'number' && amount > 0 ? null : 'Must be a number above 0.';
}
