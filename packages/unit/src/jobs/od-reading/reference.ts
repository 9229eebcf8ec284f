import type { Json } from '@lcs/contract';
import {
  initialReferenceState,
  ReferenceDarkError,
  type ReferenceParameters,
  type ReferenceState,
  trackReference,
} from '@lcs/domain';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JobMemory } from '../shared/job-memory.ts';

/** Where it is kept how bright the light was at the experiment's first reading. */
export const referenceKey = 'od_reading.reference_volts';

const Positive = Type.Number({ exclusiveMinimum: 0 });
const OrUnknown = Type.Union([Type.Null(), Positive]);

const Kept = Type.Object({
  /** Volts of the reference at the experiment's first reading. */
  volts: Positive,
  /** Of the LED then, %; null: it is that of the next reading, because an older version has kept the volts alone. */
  intensity: OrUnknown,
  /** The accepted brightness, as a share of the expectation at the intensity; null: that of the next reading. */
  accepted: OrUnknown,
});

/** The stored meaning of 1 in an experiment that began with these volts of the reference at this intensity (%). */
export const firstLight = (volts: number, intensity: number): Json => ({ volts, intensity, accepted: 1 });

interface First {
  readonly volts: number;
  readonly intensity: number;
  readonly accepted: number;
}

const isWhole = (known: Partial<First>): known is First =>
  known.volts !== undefined && known.intensity !== undefined && known.accepted !== undefined;

function readKnown(memory: JobMemory, experimentUid: string): Partial<First> {
  const kept: unknown = memory.read(experimentUid, referenceKey);
  if (Value.Check(Positive, kept)) return { volts: kept, accepted: 1 };
  if (!Value.Check(Kept, kept)) return { accepted: 1 };
  const { volts, intensity, accepted } = kept;
  return { volts, ...(intensity !== null && { intensity }), ...(accepted !== null && { accepted }) };
}

/** Accepts the brightness of the next reading as correct; the divisor of the signals stays as it was. */
export function acceptLight(memory: JobMemory, experimentUid: string): void {
  const { volts, intensity = null } = readKnown(memory, experimentUid);
  if (volts !== undefined) memory.write(experimentUid, referenceKey, { volts, intensity, accepted: null });
}

export interface Followed {
  /** What signals are divided by. */
  readonly divisor: number;
  /** What makes of a divided signal the one of an experiment that was begun at the intensity of now. */
  readonly rescale: number;
  /** Brightness relative to the experiment's first reading. */
  readonly relative: number;
  /** The brightness of this reading alone, relative to the expectation at its intensity. */
  readonly health: number;
  /** The light moved more than an LED does by itself. */
  readonly isUnstable: boolean;
}

/**
 * The brightness of the infrared LED as its photodiode sees it, relative to the experiment's first reading. The LED is
 * dimmed by the share of time that it is on, so that its brightness is expected in proportion to its intensity.
 */
export class Reference {
  readonly #memory: JobMemory;
  readonly #experimentUid: string;
  #known: Partial<First>;
  #state: ReferenceState;

  constructor(memory: JobMemory, experimentUid: string) {
    this.#memory = memory;
    this.#experimentUid = experimentUid;
    this.#known = readKnown(memory, experimentUid);
    this.#state = { ...initialReferenceState, initialV: this.#known.volts ?? null };
  }

  /** Takes one more voltage of the reference, read at this intensity (%). @throws ReferenceDarkError */
  follow(parameters: ReferenceParameters, volts: number, intensity: number): Followed {
    // The signal of a diode with the light off is noise, and would count for the whole experiment.
    if (!(intensity > 0)) throw new ReferenceDarkError(volts);
    const { state, brightness, unstable } = trackReference(this.#state, parameters, volts);
    this.#state = state;
    const first = this.#first(volts, intensity);
    const isUnity = parameters.normalization === 'unity';
    const dimmed = intensity / first.intensity;
    return {
      divisor: brightness,
      rescale: isUnity ? dimmed : 1,
      relative: isUnity ? brightness : brightness / first.volts,
      health: volts / (first.volts * dimmed * first.accepted),
      isUnstable: unstable,
    };
  }

  /** The light was changed on purpose: the tracked brightness is invalid. The meaning of 1 stays. */
  restart(): void {
    this.#state = { ...initialReferenceState, initialV: this.#state.initialV };
  }

  /** Unknown values are those of this reading. */
  #first(nowV: number, nowIntensity: number): First {
    if (isWhole(this.#known)) return this.#known;
    const { volts = nowV, intensity = nowIntensity } = this.#known;
    const { accepted = (nowV * intensity) / (volts * nowIntensity) } = this.#known;
    const first: First = { volts, intensity, accepted };
    this.#known = first;
    this.#memory.write(this.#experimentUid, referenceKey, { ...first });
    return first;
  }
}
