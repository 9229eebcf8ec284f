import type { ChartDescriptor } from '@lcs/contract';
import type { Arrangement, AxisChoices } from './chart-search.ts';
import type { LineGroup } from './group-lines.ts';
import type { HighlightedUnit } from './highlighted-unit.ts';
import type { OffSpan } from './off-spans.ts';
import type { ChartMark, ChartTarget } from './plot-events.ts';
import type { SharedWindow } from './shared-window.ts';
import type { TimeRange } from './time-range.ts';
import type { TimeDisplay } from './time-ticks.ts';
import type { YChoice } from './y-choice.ts';

/** What happened and what was aimed at, drawn on the charts of an experiment. */
export interface ChartEvents {
  readonly marks: readonly ChartMark[];
  /** The targets of the charts of a source, such as `od_readings`. */
  readonly targetsOf: (dataSource: string) => readonly ChartTarget[];
  /** The moment of the entry of the timeline that is shown; `null`: none. */
  readonly chosenMs: number | null;
}

export const noEvents: ChartEvents = { marks: [], targetsOf: () => [], chosenMs: null };

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
  /** Shows the whole experiment; `null`: it is shown. */
  readonly onWhole: (() => void) | null;
  readonly hoursOf: (descriptor: ChartDescriptor) => number;
  /** The zoomed window of the address, for requests; `null`: not zoomed. */
  readonly zoom: TimeRange | null;
  /** The zoomed window while a person moves it. */
  readonly window: SharedWindow;
  readonly axes: AxisChoices;
  readonly onAxis: (key: string, choice: { readonly isLogarithmic: boolean; readonly y: YChoice }) => void;
  readonly events: ChartEvents;
  /** A person has chosen a mark: its entry in the timeline opens. */
  readonly onMark: (mark: ChartMark) => void;
  readonly hiddenUnits: ReadonlySet<string>;
  readonly arrangement: Arrangement;
  /** Groups of replicates, whose means are drawn; empty unless they are shown. */
  readonly groups: readonly LineGroup[];
  /** When each unit was off. */
  readonly off: ReadonlyMap<string, readonly OffSpan[]>;
  /** Lines of other units are pale. */
  readonly highlight: HighlightedUnit;
  /** The label of a unit, or its name. */
  readonly nameOf: (unit: string) => string;
  /** How many units are or were in the experiment. */
  readonly unitCount: number;
  /** The position of a unit in the experiment, which decides its colour. */
  readonly indexOf: (unit: string) => number;
}
