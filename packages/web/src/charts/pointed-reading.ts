import { createListeners } from '../live/listeners.ts';
import type { PlotReading } from './plot-types.ts';

/** The values at the pointer of one chart: it moves with each frame, and the chart is not drawn anew for it. */
export interface PointedReading {
  /** `null`: the pointer is not on the chart. */
  readonly current: () => PlotReading | null;
  readonly set: (reading: PlotReading | null) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createPointedReading(): PointedReading {
  const listeners = createListeners<void>();
  let shown: PlotReading | null = null;
  return {
    current: () => shown,
    set: (reading) => {
      if (reading === shown) return;
      shown = reading;
      listeners.notify();
    },
    subscribe: listeners.add,
  };
}
