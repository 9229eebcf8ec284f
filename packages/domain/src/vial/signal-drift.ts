/** A disturbance of the signal that is not new in each reading. Deviations are shares of the signal. */
export type SignalDrift =
  | { readonly kind: 'pink'; readonly deviation: number }
  | { readonly kind: 'cycle'; readonly amplitude: number; readonly periodS: number }
  | { readonly kind: 'bursts'; readonly everyS: number; readonly lastsS: number; readonly rise: number }
  | { readonly kind: 'flicker'; readonly amplitude: number; readonly everyS: number };

/** Fractional part of multiples of the golden ratio: spread evenly, and the same in every run. */
const spread = (index: number): number => (0.618_033_988_75 * index) % 1;

/** Pink noise has equal power per octave: sines of equal amplitude, a third of an octave apart, from 10 s to about 3 h. */
const pinkSines = Array.from({ length: 31 }, (_, index) => ({
  periodS: 10 * 2 ** (index / 3),
  phase: 2 * Math.PI * spread(index + 1),
}));

/** Bursts of bubbles begin at another time in each of their periods, and raise each reading by another amount. */
function burst(timeS: number, everyS: number, lastsS: number, rise: number): number {
  const period = Math.floor(timeS / everyS);
  const sinceS = timeS - everyS * (period + (1 - lastsS / everyS) * spread(period + 1));
  const isBurst = sinceS >= 0 && sinceS < lastsS;
  return isBurst ? -rise * Math.log(1 - spread(Math.floor(timeS) + 1)) : 0;
}

/** 1 or -1, drawn anew for each period: a loose contact, or something that swims into the light and out of it. */
const flicker = (timeS: number, everyS: number): 1 | -1 =>
  spread((Math.floor(timeS / everyS) + 1) ** 2) < 0.5 ? 1 : -1;

/** The disturbance at a time of the vial, as a share of the signal. */
export function driftAt(drift: SignalDrift, timeS: number): number {
  switch (drift.kind) {
    case 'pink': {
      const amplitude = drift.deviation * Math.sqrt(2 / pinkSines.length);
      return pinkSines.reduce(
        (sum, { periodS, phase }) => sum + amplitude * Math.sin((2 * Math.PI * timeS) / periodS + phase),
        0,
      );
    }
    case 'cycle':
      return drift.amplitude * Math.sin((2 * Math.PI * timeS) / drift.periodS);
    case 'bursts':
      return burst(timeS, drift.everyS, drift.lastsS, drift.rise);
    case 'flicker':
      return drift.amplitude * flicker(timeS, drift.everyS);
  }
}
