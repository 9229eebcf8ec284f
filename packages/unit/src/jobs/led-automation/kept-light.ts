import type { JobContext } from '@lcs/node';
import type { JobMemory } from '../shared/job-memory.ts';

/** The state of a light automation for a resume after a power cut. */
export class KeptLight {
  readonly #memory: JobMemory;
  readonly #place: string;
  readonly #name: string;

  constructor(
    memory: JobMemory,
    { experimentUid, experiment }: Pick<JobContext, 'experimentUid' | 'experiment'>,
    automationName: string,
  ) {
    this.#memory = memory;
    this.#place = experimentUid ?? experiment;
    this.#name = automationName;
  }

  /** `sinceMs`: the origin of its phases. `heldPercent`: the light while it sleeps. */
  read(): { readonly sinceMs: number | undefined; readonly heldPercent: number | undefined } {
    return { sinceMs: this.#number('since_ms'), heldPercent: this.#number('held_percent') };
  }

  begin(sinceMs: number): void {
    this.#memory.write(this.#place, this.#key('since_ms'), sinceMs);
    this.#memory.write(this.#place, this.#key('held_percent'), null);
  }

  /** Records the held level; undefined: none. On disk when it resolves. @throws StoreError */
  async hold(percent: number | undefined): Promise<void> {
    this.#memory.write(this.#place, this.#key('held_percent'), percent ?? null);
    await this.#memory.flush();
  }

  #number(key: string): number | undefined {
    const kept = this.#memory.read(this.#place, this.#key(key));
    return typeof kept === 'number' ? kept : undefined;
  }

  #key(key: string): string {
    return `led_automation.${this.#name}.${key}`;
  }
}
