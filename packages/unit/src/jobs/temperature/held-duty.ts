import { isObject } from '@lcs/contract';
import type { JobMemory } from '../shared/job-memory.ts';

const heldKey = 'thermostat.held';
const unitItself = '$experiment';

/** Below it a target says nothing about the heat that another one needs, °C. */
const aboveAmbientC = 2;
const defaultAmbientC = 22;

/** The duty that a unit needs for a temperature, kept from one run to the next: after a restart nothing is searched anew. */
export class HeldDuty {
  readonly #memory: JobMemory;

  constructor(memory: JobMemory) {
    this.#memory = memory;
  }

  /** % that will about hold this target (°C); undefined when none was ever held. */
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
