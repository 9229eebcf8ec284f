import { isObject } from '@lcs/contract';
import type { JobMemory } from '../shared/job-memory.ts';

const heldKey = 'thermostat.held';
const unitItself = '$experiment';

/** Below this difference a target does not predict the duty of another one, °C. */
const aboveAmbientC = 2;
const defaultAmbientC = 22;

/** The duty that a unit needs for a temperature, stored between runs, so that a restart need not search again. */
export class HeldDuty {
  readonly #memory: JobMemory;

  constructor(memory: JobMemory) {
    this.#memory = memory;
  }

  /** The duty (%) that approximately holds this target (°C); undefined when none was ever held. */
  for(targetC: number): number | undefined {
    const kept = this.#memory.read(unitItself, heldKey);
    if (!isObject(kept)) return undefined;
    const { targetC: keptC, duty } = kept;
    if (typeof keptC !== 'number' || typeof duty !== 'number') return undefined;
    if (keptC < defaultAmbientC + aboveAmbientC) return undefined;
    return Math.min(100, Math.max(0, (duty * (targetC - defaultAmbientC)) / (keptC - defaultAmbientC)));
  }

  remember({ targetC, duty }: { readonly targetC: number; readonly duty: number }): void {
    this.#memory.write(unitItself, heldKey, { targetC, duty });
  }
}
