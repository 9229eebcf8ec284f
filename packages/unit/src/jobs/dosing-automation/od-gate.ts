import type { JobContext } from '@lcs/platform';
import { isTrusted } from './fresh-readings.ts';

/** Signals that say that the density was really measured. */
const measured: ReadonlySet<string> = new Set(['od', 'raw_od', 'od_fused']);

type Context = Pick<JobContext, 'topics' | 'listen' | 'log'>;

/**
 * After a power cut nothing is dosed before the density was measured again: nobody knows what happened to the vial meanwhile.
 */
export class OdGate {
  readonly #context: Context;
  #isOpen: boolean;
  #isSaid = false;

  constructor(context: Context, isOpen: boolean) {
    this.#context = context;
    this.#isOpen = isOpen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** `opened` is called once, at the first good reading, if somebody was kept waiting. */
  begin(opened: () => Promise<void>): void {
    if (this.#isOpen) return;
    const end = this.#context.listen(this.#context.topics.readings, (reading) => {
      if (!measured.has(reading.source) || !isTrusted(reading)) return undefined;
      end();
      this.#isOpen = true;
      if (!this.#isSaid) return undefined;
      this.#context.log('NOTICE', 'The optical density was measured again: dosing goes on.');
      return opened();
    });
  }

  /** Somebody would dose, and must not yet. */
  keepWaiting(): void {
    if (this.#isSaid) return;
    this.#isSaid = true;
    const runs = this.#context.topics.states.latest('od_reading')?.state === 'ready';
    const advice = runs ? '' : ' Start od_reading, or stop the automation and start it anew to dose without it.';
    this.#context.log('WARNING', `Dosing waits for a fresh optical density after the restart.${advice}`);
  }
}
