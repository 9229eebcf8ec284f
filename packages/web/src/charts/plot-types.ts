import type { FlagSpan } from './flag-spans.ts';
import type { Line } from './line-cache.ts';
import type { OffSpan } from './off-spans.ts';
import type { Points } from './points.ts';
import type { TimeDisplay } from './time-ticks.ts';
import type { UnitStyle } from './unit-colours.ts';
import type { Range } from './y-scale.ts';

/** A window of time. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PlotLine extends Line {
  readonly style: UnitStyle;
  /** Its label, or its unit's name. */
  readonly name: string;
  /** Standard deviations of its values, at moments of their own; `null`: the values are not estimates. */
  readonly deviations: Points | null;
  /** The flags of its readings. */
  readonly flags: readonly FlagSpan[];
  /** When its unit was off. */
  readonly off: readonly OffSpan[];
}

export interface PlotSettings {
  readonly display: TimeDisplay;
  /** When the experiment began. */
  readonly originMs: number;
  readonly domain: Range;
  readonly decimals: number;
  readonly isStepped: boolean;
  /** Logarithmic: values that are not positive are left out. */
  readonly isLogarithmic: boolean;
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
  /** Where it is, in pixels from the left of the plot; `width` of the plot. */
  readonly left: number;
  readonly width: number;
}

interface PlotReadingValue {
  readonly name: string;
  readonly value: string;
  readonly colour: string;
  /** Its flags as text; empty: none. */
  readonly flags: readonly string[];
}

export interface PlotEvents {
  onZoom(range: TimeRange): void;
  onPoint(reading: PlotReading | null): void;
}
