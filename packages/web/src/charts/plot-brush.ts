import type uPlot from 'uplot';
import type { TimeRange } from './plot-types.ts';

/** A brush narrower than this was a click. */
const leastBrushPx = 8;

/** Draws a brush with mouse, pen or one finger; up and down a finger still scrolls the page. */
export function brush(plot: uPlot, onZoom: (range: TimeRange) => void): void {
  const { over } = plot;
  let startPx: number | null = null;
  const placeOf = (event: PointerEvent): number =>
    Math.min(Math.max(event.clientX - over.getBoundingClientRect().left, 0), over.clientWidth);
  const select = (left: number, width: number): void =>
    plot.setSelect({ left, width, top: 0, height: width > 0 ? over.clientHeight : 0 }, false);
  over.style.touchAction = 'pan-y';
  over.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    startPx = placeOf(event);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener('pointermove', (event) => {
    if (startPx === null) return;
    const now = placeOf(event);
    select(Math.min(startPx, now), Math.abs(now - startPx));
  });
  const end = (event: PointerEvent, isMeant: boolean): void => {
    if (startPx === null) return;
    const ends = [startPx, placeOf(event)].sort((left, right) => left - right);
    startPx = null;
    select(0, 0);
    const [left = 0, right = 0] = ends;
    if (isMeant && right - left >= leastBrushPx) {
      onZoom({ fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(right, 'x') });
    }
  };
  over.addEventListener('pointerup', (event) => end(event, true));
  over.addEventListener('pointercancel', (event) => end(event, false));
}
