import type { ChartDescriptor } from '@lcs/contract';
import type { OffSpan } from './off-spans.ts';
import type { TimeRange } from './plot-types.ts';
import type { TimeDisplay } from './time-ticks.ts';

/** What all charts of an experiment share. */
export interface ChartView {
  readonly experiment: string;
  readonly display: TimeDisplay;
  /** When the experiment began. */
  readonly originMs: number;
  /** The end of the window: now, by the leader's clock, or the end of an experiment that is over. */
  readonly nowMs: () => number;
  /** Hours from the end of the window until now. */
  readonly hoursSinceEnd: () => number;
  /** It has ended: nothing more will be measured. */
  readonly isOver: boolean;
  readonly hoursOf: (descriptor: ChartDescriptor) => number;
  readonly zoom: TimeRange | null;
  readonly onZoom: (range: TimeRange | null) => void;
  readonly hiddenUnits: ReadonlySet<string>;
  /** When which unit was off. */
  readonly off: ReadonlyMap<string, readonly OffSpan[]>;
  /** The unit that shall stand out. */
  readonly highlighted: string | null;
  /** As people call a unit here. */
  readonly nameOf: (unit: string) => string;
  /** Its place among the units of the experiment, which gives its colour. */
  readonly indexOf: (unit: string) => number;
}
