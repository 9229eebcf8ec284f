import type { GpioBank } from '@lcs/hardware';
import type { JobContext } from '@lcs/node';
import { HardwareFault, isHardwareFault } from '../shared/hardware-fault.ts';
import { whileRunning } from '../shared/held-output.ts';

/** The button on a unit's board: its line is high while it is held. */
export interface BoardButton {
  readonly gpio: Pick<GpioBank, 'watch' | 'takeEdges' | 'unwatch'>;
  readonly line: number;
  /** Lights the board's status LED while it is held. */
  readonly light: (isOn: boolean) => void;
}

const readEveryMs = 250;

/** The longest press: the end of a short press may be missed. */
const longestHeldMs = 10_000;

/** Publishes when the button is held. */
export class ButtonWatch {
  readonly #context: JobContext;
  readonly #button: BoardButton;
  readonly #fault: HardwareFault;
  #edge: 'rising' | 'falling' | undefined;
  #heldSinceMs = 0;

  constructor(context: JobContext, button: BoardButton) {
    this.#context = context;
    this.#button = button;
    this.#fault = new HardwareFault(context, 'The button cannot be read.', 'Everything else works without it.');
  }

  begin(): void {
    this.#context.publish('button_down', false);
    this.#context.repeat(readEveryMs, () => this.#read());
  }

  async stop(): Promise<void> {
    const { gpio, line, light } = this.#button;
    light(false);
    if (this.#edge !== undefined) await gpio.unwatch(line);
  }

  async #read(): Promise<void> {
    const { signal, clock } = this.#context;
    const { gpio, line } = this.#button;
    try {
      if (this.#edge === undefined) await this.#listen('rising');
      const edges = await whileRunning(signal, gpio.takeEdges(line));
      this.#fault.clear();
      const isForgotten = this.#edge === 'falling' && clock.monotonic() - this.#heldSinceMs >= longestHeldMs;
      if (edges.length === 0 && !isForgotten) return;
      const isDown = this.#edge === 'rising';
      if (isDown) this.#heldSinceMs = clock.monotonic();
      this.#context.publish('button_down', isDown);
      this.#button.light(isDown);
      await this.#listen(isDown ? 'falling' : 'rising');
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#edge = undefined;
      this.#fault.set(error);
    }
  }

  /** Only the button drives its line. */
  async #listen(edge: 'rising' | 'falling'): Promise<void> {
    await whileRunning(this.#context.signal, this.#button.gpio.watch(this.#button.line, edge, 'pull-down'));
    this.#edge = edge;
  }
}
