import { BusError } from '../buses/bus-error.ts';
import { type I2cBus, i2cDevice } from '../buses/i2c-bus.ts';
import type { SimulatedChip } from './simulated-chip.ts';

/** A bus of simulated chips. A missing or disconnected chip does not acknowledge, like a real one. */
export class SimulatedI2cBus implements I2cBus {
  readonly hasVendorRegisters = true;
  readonly #chips: ReadonlyMap<number, SimulatedChip>;
  readonly #nowMs: () => number;
  readonly #isMute: (address: number) => boolean;
  readonly #disconnected = new Set<number>();

  /** `isMute`: chips that do not answer in the plant's fault script. */
  constructor(
    chips: ReadonlyMap<number, SimulatedChip>,
    nowMs: () => number,
    isMute: (address: number) => boolean = () => false,
  ) {
    this.#chips = chips;
    this.#nowMs = nowMs;
    this.#isMute = isMute;
  }

  async readRegister(address: number, register: number, length: number): Promise<Uint8Array> {
    return this.#chipAt(address, `read register ${register}`).read(register, length, this.#nowMs());
  }

  async writeRegister(address: number, register: number, bytes: Uint8Array): Promise<void> {
    this.#chipAt(address, `write register ${register}`).write(register, bytes, this.#nowMs());
  }

  /** As if the chip had lost its connection. */
  silence(address: number): void {
    this.#disconnected.add(address);
  }

  restore(address: number): void {
    this.#disconnected.delete(address);
  }

  /** The supply of the chips drops for a moment: of these, or of all. */
  powerCut(addresses: Iterable<number> = this.#chips.keys()): void {
    for (const address of addresses) this.#chips.get(address)?.powerCut?.(this.#nowMs());
  }

  #chipAt(address: number, operation: string): SimulatedChip {
    const chip = this.#disconnected.has(address) || this.#isMute(address) ? undefined : this.#chips.get(address);
    if (chip === undefined) throw new BusError(i2cDevice(address), operation, 'no acknowledgement');
    return chip;
  }
}
