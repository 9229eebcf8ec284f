import type { Json } from '@lcs/contract';
import { followReference, freshReference, type ReferenceParameters, type ReferenceState } from '@lcs/domain';
import type { JobMemory } from '../shared/job-memory.ts';

/** Where the volts of the reference at the experiment's first reading are kept. */
export const referenceKey = 'od_reading.reference_volts';

export interface Followed {
  /** What signals are divided by. */
  readonly divisor: number;
  /** Brightness relative to the experiment's first reading. */
  readonly relative: number;
  /** The same, of this reading alone. */
  readonly now: number;
  /** The light moved more than an LED does by itself. */
  readonly isUnstable: boolean;
}

/** The brightness of the infrared LED as its photodiode sees it, relative to the experiment's first reading. */
export class Reference {
  readonly #memory: JobMemory;
  readonly #experimentUid: string;
  #state: ReferenceState;

  constructor(memory: JobMemory, experimentUid: string) {
    this.#memory = memory;
    this.#experimentUid = experimentUid;
    this.#state = { ...freshReference, initialV: positive(memory.read(experimentUid, referenceKey)) };
  }

  /** Takes one more voltage of the reference. @throws ReferenceDarkError */
  follow(parameters: ReferenceParameters, volts: number): Followed {
    const isFirst = this.#state.initialV === null;
    const { state, brightness, unstable } = followReference(this.#state, parameters, volts);
    this.#state = state;
    if (isFirst) this.#memory.write(this.#experimentUid, referenceKey, volts);
    const relative = parameters.normalization === 'unity' ? brightness : brightness / (state.initialV ?? volts);
    return { divisor: brightness, relative, now: volts / (state.initialV ?? volts), isUnstable: unstable };
  }

  /** The light was changed on purpose: what was tracked of it is worth nothing. What 1 means stays. */
  restart(): void {
    this.#state = { ...freshReference, initialV: this.#state.initialV };
  }
}

const positive = (value: Json | undefined): number | null => (typeof value === 'number' && value > 0 ? value : null);
