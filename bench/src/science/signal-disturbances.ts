import type { SeededStream } from '@lcs/domain';

/** Relative disturbance of the signal at a time; to be asked in order of time. */
export type SignalDisturbance = (timeS: number) => number;

const hourS = 3600;

/** A stationary first-order process (Ornstein and Uhlenbeck, 1930), exact at any interval. */
export function correlatedNoise(chance: SeededStream, deviation: number, timeConstantS: number): SignalDisturbance {
  let [value, atS] = [chance.normal(), 0];
  return (timeS) => {
    const stays = Math.exp(-(timeS - atS) / timeConstantS);
    value = stays * value + Math.sqrt(1 - stays ** 2) * chance.normal();
    atS = timeS;
    return deviation * value;
  };
}

/** Equal power per octave between 5 s and about 3 h: a sum of first-order processes an octave apart (Van der Ziel, Physica 16, 1950). */
export function pinkNoise(chance: SeededStream, deviation: number): SignalDisturbance {
  const octaves = 12;
  const parts = Array.from({ length: octaves }, (_, octave) =>
    correlatedNoise(chance.split(`octave ${octave}`), deviation / Math.sqrt(octaves), 5 * 2 ** octave),
  );
  return (timeS) => parts.reduce((sum, part) => sum + part(timeS), 0);
}

/** A room or a thermostat that swings: a sine with a random phase. */
export function cycle(chance: SeededStream, amplitude: number, periodS: number): SignalDisturbance {
  const phase = 2 * Math.PI * chance.uniform();
  return (timeS) => amplitude * Math.sin((2 * Math.PI * timeS) / periodS + phase);
}

/** Bursts of bubbles: on average `perHour` of them, of about two minutes, which raise each reading by 5 % on average. */
export function bubbleBursts(chance: SeededStream, perHour: number): SignalDisturbance {
  const exponential = (mean: number): number => -mean * Math.log(1 - chance.uniform());
  let [fromS, untilS] = [exponential(hourS / perHour), 0];
  untilS = fromS + exponential(120);
  return (timeS) => {
    while (timeS > untilS) {
      fromS = untilS + exponential(hourS / perHour);
      untilS = fromS + exponential(120);
    }
    return timeS >= fromS ? exponential(0.05) : 0;
  };
}
