import { BusError, busHangs } from '../buses/bus-error.ts';
import { type I2cBus, i2cDevice } from '../buses/i2c-bus.ts';
import { errnoOf } from './errno.ts';
import { type I2cBinding, I2cBindingMissing, type I2cConnection } from './i2c-binding.ts';

export interface LinuxI2cBusOptions {
  /** The number in `/dev/i2c-<number>`. */
  readonly busNumber: number;
  /** @throws I2cBindingMissing */
  readonly load: () => Promise<I2cBinding>;
}

/**
 * Kernel documentation, `i2c/fault-codes.rst`: ENXIO is the error of a chip that does not
 * acknowledge; the driver of the BCM2835 returns EREMOTEIO.
 */
const reasons: Readonly<Record<string, string>> = {
  ENXIO: 'no acknowledgement',
  EREMOTEIO: 'no acknowledgement',
  ETIMEDOUT: busHangs,
  EIO: 'the transfer was disturbed',
  EAGAIN: 'the bus is busy',
  EBUSY: 'a driver of the kernel has this chip',
  ENOENT: 'the bus does not exist (put "dtparam=i2c_arm=on" into config.txt)',
  EACCES: 'this user may not use the bus (it must be in the group i2c)',
};

/**
 * An I2C bus of the computer. It is opened at the first use, and again after it could not be opened. One call at a time: the bus takes
 * no more, and each call that waits in the kernel would hold one of the few threads that the files of PWM need too.
 */
export class LinuxI2cBus implements I2cBus {
  readonly #options: LinuxI2cBusOptions;
  #connection: Promise<I2cConnection> | undefined;
  /** Never rejects. */
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(options: LinuxI2cBusOptions) {
    this.#options = options;
  }

  async readRegister(address: number, register: number, length: number): Promise<Uint8Array> {
    const operation = `read register ${register}`;
    return this.#tried(address, operation, async (bus) => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await bus.readI2cBlock(address, register, length, buffer);
      if (bytesRead !== length)
        throw new BusError(i2cDevice(address), operation, `${bytesRead} bytes received instead of ${length}`);
      return new Uint8Array(buffer);
    });
  }

  async writeRegister(address: number, register: number, bytes: Uint8Array): Promise<void> {
    const operation = `write register ${register}`;
    await this.#tried(address, operation, async (bus) => {
      const { bytesWritten } = await bus.writeI2cBlock(address, register, bytes.length, Buffer.from(bytes));
      if (bytesWritten !== bytes.length)
        throw new BusError(i2cDevice(address), operation, `${bytesWritten} of ${bytes.length} bytes were written`);
    });
  }

  /** Everything under way fails. A later call opens the bus again. */
  async close(): Promise<void> {
    const opening = this.#connection;
    this.#connection = undefined;
    // A bus that could not be opened has nothing to close; its callers received the error.
    const connection = await opening?.catch(() => undefined);
    await connection?.close();
  }

  async #open(): Promise<I2cConnection> {
    const { busNumber, load } = this.#options;
    return (await load()).openPromisified(busNumber);
  }

  async #tried<T>(address: number, operation: string, work: (bus: I2cConnection) => Promise<T>): Promise<T> {
    const device = i2cDevice(address);
    this.#connection ??= this.#open();
    const opening = this.#connection;
    let connection: I2cConnection;
    try {
      connection = await opening;
    } catch (error) {
      if (this.#connection === opening) this.#connection = undefined;
      throw this.#busError(device, operation, error);
    }
    try {
      return await this.#inTurn(() => work(connection));
    } catch (error) {
      throw error instanceof BusError ? error : this.#busError(device, operation, error);
    }
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const turn = this.#lastCall.then(call);
    this.#lastCall = turn.catch(() => {});
    return turn;
  }

  #busError(device: string, operation: string, error: unknown): unknown {
    if (error instanceof I2cBindingMissing) return new BusError(device, operation, error.message, { cause: error });
    const code = errnoOf(error);
    if (code === undefined) return error;
    return new BusError(device, operation, reasons[code] ?? `the kernel reports ${code}`, { cause: error });
  }
}
