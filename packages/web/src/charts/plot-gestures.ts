import type uPlot from 'uplot';
import type { TimeRange } from './time-range.ts';
import { pannedBy, pinchedWindow, zoomedAround } from './time-window.ts';

/** A brush narrower than this was a click. */
const leastBrushPx = 8;
/** One notch of a wheel (about 100 px) makes the window so many times as wide. */
const wheelFactor = 1.25;
const notchPx = 100;
const pinchGain = 4;
/** Wheels that count in lines send so many pixels for each. */
const linePx = 33;

export interface GestureTarget {
  /** The shown window. */
  window(): TimeRange;
  /** A movement goes on: the window is drawn at once. */
  onMove(window: TimeRange): void;
  /** Pointers hold the window, or have released it. */
  onHold(isHeld: boolean): void;
  /** A part of the window was marked. */
  onBrush(window: TimeRange): void;
  /** A place was clicked, in pixels from the left. */
  onClick(left: number): void;
}

interface Finger {
  left: number;
  /** The moment under it when the gesture began. */
  readonly ms: number;
}

type Gesture =
  | { readonly is: 'brush'; readonly startPx: number }
  | { readonly is: 'pan'; readonly startPx: number; readonly window: TimeRange }
  | { readonly is: 'pinch' };

const isPan = ({ button, shiftKey, pointerType }: PointerEvent): boolean =>
  pointerType !== 'touch' && (button === 1 || (button === 0 && shiftKey));

/**
 * Pointers on a chart. Mouse: a drag marks a part, with Shift or the middle button it moves the window. Fingers: one marks a
 * part sideways and scrolls the page up and down, two move and zoom the window.
 */
function pointers(plot: uPlot, target: GestureTarget): void {
  const { over } = plot;
  const fingers = new Map<number, Finger>();
  let gesture: Gesture | null = null;
  const shareOf = (left: number): number => left / Math.max(1, over.clientWidth);
  const leftOf = ({ clientX }: PointerEvent): number => clientX - over.getBoundingClientRect().left;
  const inside = (left: number): number => Math.min(Math.max(left, 0), over.clientWidth);
  const select = (left: number, width: number): void =>
    plot.setSelect({ left, width, top: 0, height: width > 0 ? over.clientHeight : 0 }, false);
  over.style.touchAction = 'pan-y';

  const pinch = (): void => {
    const [one, other] = [...fingers.values()];
    if (one === undefined || other === undefined) return;
    target.onMove(pinchedWindow([one.ms, other.ms], [shareOf(one.left), shareOf(other.left)]));
  };
  const begin = (event: PointerEvent): Gesture | null => {
    if (fingers.size > 1) return fingers.size === 2 ? { is: 'pinch' } : null;
    if (isPan(event)) return { is: 'pan', startPx: leftOf(event), window: target.window() };
    return event.button === 0 ? { is: 'brush', startPx: inside(leftOf(event)) } : null;
  };

  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch') {
      const { fromMs, toMs } = target.window();
      const left = leftOf(event);
      fingers.set(event.pointerId, { left, ms: fromMs + shareOf(left) * (toMs - fromMs) });
    }
    gesture = begin(event);
    select(0, 0);
    if (gesture === null) return;
    over.setPointerCapture(event.pointerId);
    over.toggleAttribute('data-panning', gesture.is === 'pan');
    target.onHold(gesture.is !== 'brush');
    // Otherwise the middle button scrolls the page, and Shift marks text.
    if (gesture.is === 'pan') event.preventDefault();
  });
  over.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (finger !== undefined) finger.left = leftOf(event);
    if (gesture?.is === 'pinch') pinch();
    else if (gesture?.is === 'pan') target.onMove(pannedBy(gesture.window, shareOf(gesture.startPx - leftOf(event))));
    else if (gesture?.is === 'brush') {
      const now = inside(leftOf(event));
      select(Math.min(gesture.startPx, now), Math.abs(now - gesture.startPx));
    }
  });
  const end = (event: PointerEvent, isMeant: boolean): void => {
    fingers.delete(event.pointerId);
    const ended = gesture;
    gesture = null;
    target.onHold(false);
    over.toggleAttribute('data-panning', false);
    if (ended?.is !== 'brush') return;
    select(0, 0);
    const [left = 0, right = 0] = [ended.startPx, inside(leftOf(event))].sort((one, other) => one - other);
    if (!isMeant) return;
    if (right - left >= leastBrushPx)
      target.onBrush({ fromMs: plot.posToVal(left, 'x'), toMs: plot.posToVal(right, 'x') });
    else target.onClick(right);
  };
  over.addEventListener('pointerup', (event) => end(event, true));
  over.addEventListener('pointercancel', (event) => end(event, false));
}

/** The pixels of a wheel event, whatever it counts in. */
const pixelsOf = (event: WheelEvent, delta: number): number =>
  event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? delta : delta * linePx;

/** A pinch on a touch pad arrives as many small turns of a wheel with Ctrl; they count more. */
const turnOf = (event: WheelEvent): number => {
  const pixels = pixelsOf(event, event.deltaY);
  return event.ctrlKey && Math.abs(pixels) < notchPx / 2 ? pinchGain * pixels : pixels;
};

/**
 * The wheel zooms around the pointer with Ctrl (or by a pinch on a touch pad), above the time axis, or when the keyboard is on
 * the chart; sideways it moves the window. Otherwise the page scrolls.
 */
function wheel(plot: uPlot, target: GestureTarget): void {
  const { over, root } = plot;
  root.addEventListener(
    'wheel',
    (event) => {
      const box = over.getBoundingClientRect();
      const isOnTimeAxis = event.clientY > box.bottom;
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      const window = target.window();
      if (isSideways && !event.ctrlKey) {
        event.preventDefault();
        const moved = pixelsOf(event, Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.deltaY);
        target.onMove(pannedBy(window, moved / Math.max(1, box.width)));
        return;
      }
      if (!event.ctrlKey && !isOnTimeAxis && root.closest(':focus-visible') === null) return;
      event.preventDefault();
      const share = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
      const factor = wheelFactor ** (turnOf(event) / notchPx);
      target.onMove(zoomedAround(window, factor, window.fromMs + share * (window.toMs - window.fromMs)));
    },
    { passive: false },
  );
}

/** Lets people mark, move and zoom the window of a chart. */
export function plotGestures(plot: uPlot, target: GestureTarget): void {
  pointers(plot, target);
  wheel(plot, target);
}
