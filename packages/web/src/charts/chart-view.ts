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
  /** The end of the window: now, by the leader's clock, or the end of the experiment. */
  readonly nowMs: () => number;
  /** Hours from the end of the window until now. */
  readonly hoursSinceEnd: () => number;
  /** The experiment has ended: there will be no more readings. */
  readonly isOver: boolean;
  readonly hoursOf: (descriptor: ChartDescriptor) => number;
  readonly zoom: TimeRange | null;
  readonly onZoom: (range: TimeRange | null) => void;
  readonly hiddenUnits: ReadonlySet<string>;
  /** When each unit was off. */
  readonly off: ReadonlyMap<string, readonly OffSpan[]>;
  /** Lines of other units are pale. */
  readonly highlighted: string | null;
  /** The label of a unit, or its name. */
  readonly nameOf: (unit: string) => string;
  /** The position of a unit in the experiment, which decides its colour. */
  readonly indexOf: (unit: string) => number;
}
