/** One conversion: seconds since the start of the reading, and the value in volts or counts. */
export interface Sample {
  readonly timeS: number;
  readonly value: number;
}

export interface MainsHumFit {
  /** The constant part: the value of the reading. */
  readonly level: number;
  readonly amplitude: number;
  /** Radians. */
  readonly phase: number;
  /** Akaike information criterion; lower is better. Negative infinity for a perfect fit. */
  readonly aic: number;
}

/** Below this sum of squares a fit counts as perfect; its logarithm would only measure rounding errors. */
const perfectFit = 1e-20;

/** All samples but one lowest and one highest, so that a single outlier is ignored. Up to two samples stay as they are. */
export function trimExtremes(samples: readonly Sample[]): readonly Sample[] {
  if (samples.length <= 2) return samples;
  let lowest = 0;
  let highest = 0;
  samples.forEach(({ value }, index) => {
    if (value < (samples[lowest]?.value ?? 0)) lowest = index;
    if (value >= (samples[highest]?.value ?? 0)) highest = index;
  });
  return samples.filter((_, index) => index !== lowest && index !== highest);
}

/** The mean of the samples without their extremes. NaN without samples. */
export function trimmedLevel(samples: readonly Sample[]): number {
  const kept = trimExtremes(samples);
  return kept.reduce((total, { value }) => total + value, 0) / kept.length;
}

/**
 * Fits a level and a sinusoid of mains frequency `humHz` by least squares: light and wiring carry mains hum, and fitting it
 * gives a smaller variance than averaging over it.
 */
export function fitMainsHum(samples: readonly Sample[], mainsHz: number): MainsHumFit {
  const kept = trimExtremes(samples);
  const solved = solveNormalEquations(kept, 2 * Math.PI * mainsHz);
  if (solved === null) {
    return { level: trimmedLevel(samples), amplitude: 0, phase: 0, aic: Number.POSITIVE_INFINITY };
  }
  const [level, sine, cosine] = solved;
  let squares = 0;
  for (const { timeS, value } of kept) {
    const angle = 2 * Math.PI * mainsHz * timeS;
    squares += (value - level - sine * Math.sin(angle) - cosine * Math.cos(angle)) ** 2;
  }
  const aic = squares <= perfectFit ? Number.NEGATIVE_INFINITY : kept.length * Math.log(squares / kept.length) + 6;
  return { level, amplitude: Math.hypot(sine, cosine), phase: Math.atan2(cosine, sine), aic };
}

/** 50 or 60 Hz, whichever fits the samples better; 60 when both fit equally. */
export function mainsFrequency(samples: readonly Sample[]): 50 | 60 {
  return fitMainsHum(samples, 50).aic < fitMainsHum(samples, 60).aic ? 50 : 60;
}

function solveNormalEquations(samples: readonly Sample[], angular: number): readonly [number, number, number] | null {
  let [s, c, ss, sc, cc] = [0, 0, 0, 0, 0];
  let [y, ys, yc] = [0, 0, 0];
  for (const { timeS, value } of samples) {
    const sine = Math.sin(angular * timeS);
    const cosine = Math.cos(angular * timeS);
    s += sine;
    c += cosine;
    ss += sine * sine;
    sc += sine * cosine;
    cc += cosine * cosine;
    y += value;
    ys += value * sine;
    yc += value * cosine;
  }
  const n = samples.length;
  const determinant = n * (ss * cc - sc * sc) - s * (s * cc - sc * c) + c * (s * sc - ss * c);
  // The determinant of well-spread samples is about n³ / 4; far below that the times do not separate hum from level.
  if (!(Math.abs(determinant) > 1e-9 * n ** 3)) return null;
  return [
    (y * (ss * cc - sc * sc) - s * (ys * cc - sc * yc) + c * (ys * sc - ss * yc)) / determinant,
    (n * (ys * cc - yc * sc) - y * (s * cc - sc * c) + c * (s * yc - ys * c)) / determinant,
    (n * (ss * yc - sc * ys) - s * (s * yc - ys * c) + y * (s * sc - ss * c)) / determinant,
  ];
}
