import type { Interruption } from '@lcs/contract';
import { chartsWords } from '../words/charts.ts';

/** When a unit was off. */
export interface OffSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Its power failed or its program crashed; otherwise a person had stopped it. */
  readonly isCut: boolean;
}

/** When each unit was off, the newest first; without spans whose beginning is unknown or after their end. */
export function offSpans(interruptions: readonly Interruption[]): ReadonlyMap<string, readonly OffSpan[]> {
  const byUnit = new Map<string, OffSpan[]>();
  for (const { reactor_unit, kind, from, to } of interruptions) {
    if (kind === 'records_lost' || from === null || Date.parse(from) > Date.parse(to)) continue;
    const span = { fromMs: Date.parse(from), toMs: Date.parse(to), isCut: kind === 'unit_off' };
    byUnit.set(reactor_unit, [...(byUnit.get(reactor_unit) ?? []), span]);
  }
  return byUnit;
}

/** Why there are no readings at a moment, as a short label; `null`: the unit was not off. */
export function offLabel(spans: readonly OffSpan[], moment: number): string | null {
  const span = spans.find(({ fromMs, toMs }) => moment > fromMs && moment < toMs);
  if (span === undefined) return null;
  return span.isCut ? chartsWords.powerOrCrash : chartsWords.stoppedInline;
}

/** Why lines of a chart are broken, and the names of their units. */
export interface ShownBreak {
  readonly isCut: boolean;
  readonly units: readonly string[];
}

/** The breaks within a window, each kind with the names of its units. */
export function shownBreaks(
  units: readonly { readonly name: string; readonly off: readonly OffSpan[] }[],
  range: { readonly fromMs: number; readonly toMs: number },
): readonly ShownBreak[] {
  return [true, false].flatMap((isCut) => {
    const names = units
      .filter(({ off }) =>
        off.some((span) => span.isCut === isCut && span.toMs >= range.fromMs && span.fromMs <= range.toMs),
      )
      .map(({ name }) => name);
    return names.length === 0 ? [] : [{ isCut, units: [...new Set(names)] }];
  });
}
