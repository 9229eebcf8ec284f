import type { FlagSpan } from './flag-spans.ts';
import type { Line } from './line-cache.ts';
import type { MeanChange } from './mean-changes.ts';
import type { OffSpan } from './off-spans.ts';
import type { ChartMark, ChartTarget } from './plot-events.ts';
import type { Points } from './points.ts';
import type { TimeRange } from './time-range.ts';
import type { MomentForm } from './time-ticks.ts';
import type { UnitStyle } from './unit-colours.ts';
import type { YChoice } from './y-choice.ts';
import type { Range } from './y-scale.ts';

export interface PlotLine extends Line {
  readonly style: UnitStyle;
  /** Its label, or its unit's name. */
  readonly name: string;
  /** Standard deviations of its values, at moments of their own; `null`: the values are not estimates. */
  readonly deviations: Points | null;
  /** Of a mean: of how many units each of its points is. */
  readonly counts?: readonly number[];
  /** Of a mean: where it is of other units than before. */
  readonly changes?: readonly MeanChange[];
  /** The flags of its readings. */
  readonly flags: readonly FlagSpan[];
  /** When its unit was off. */
  readonly off: readonly OffSpan[];
}

/** What a chart shows. */
export interface PlotScene {
  readonly lines: readonly PlotLine[];
  /** The lines whose values the axis contains: more than are drawn where several drawings share an axis. */
  readonly scaleLines: readonly PlotLine[];
  /** What happened. */
  readonly marks: readonly ChartMark[];
  readonly targets: readonly ChartTarget[];
  /** The moment of the entry of the timeline that is shown, a line over the whole height; `null`: none. */
  readonly chosenMs: number | null;
  /** The colour of the marks of a unit; `null`: of the whole experiment. */
  readonly colourOf: (unit: string | null) => string;
}

export interface PlotSettings extends MomentForm {
  readonly domain: Range;
  readonly decimals: number;
  readonly isStepped: boolean;
  /** Logarithmic: values that are not positive are left out. */
  readonly isLogarithmic: boolean;
  readonly y: YChoice;
  readonly ink: {
    readonly text: string;
    readonly grid: string;
    /** The outline of flags; `surface` is their fill. */
    readonly warning: string;
    readonly surface: string;
  };
}

/** The value of each line at the pointer. */
export interface PlotReading {
  readonly moment: string;
  readonly values: readonly PlotReadingValue[];
  /** What happened there. */
  readonly marks: readonly string[];
  /** Where it is, in pixels from the left of the plot; `width` of the plot; `offset` of the plot from the left of the chart. */
  readonly left: number;
  readonly width: number;
  readonly offset: number;
}

interface PlotReadingValue {
  readonly name: string;
  readonly value: string;
  readonly style: UnitStyle;
  /** Its flags as text; empty: none. */
  readonly flags: readonly string[];
}

export interface PlotEvents {
  /** The window moves on with each frame of a gesture. */
  onMove(range: TimeRange): void;
  /** Pointers hold the window, or have released it. */
  onHold(isHeld: boolean): void;
  /** A part of the window was marked. */
  onBrush(range: TimeRange): void;
  onPoint(reading: PlotReading | null): void;
  /** A person has chosen a mark. */
  onMark(mark: ChartMark): void;
}
