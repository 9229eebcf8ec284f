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
  EPROTO: 'the transfer was disturbed',
  EBADMSG: 'the transfer was disturbed',
  EAGAIN: 'the bus is busy',
  EBUSY: 'the bus is busy',
  ENODEV: 'the bus has gone (the kernel has removed its driver)',
  ESHUTDOWN: 'the bus is suspended',
  // EOPNOTSUPP has this name in Node.
  ENOTSUP: 'the bus cannot make this transfer',
};

const noBus = 'the bus does not exist (put "dtparam=i2c_arm=on" into config.txt, and load the module i2c-dev)';
/** Of the file `/dev/i2c-<number>`: it is missing, or no driver is behind it. */
const openReasons: Readonly<Record<string, string>> = {
  ENOENT: noBus,
  ENODEV: noBus,
  ENXIO: noBus,
  EACCES: 'this user may not use the bus (it must be in the group i2c)',
};

/** What the addon does before the first transfer with a chip: it gives a file of its own the address. */
const addressCall = 'setAddr';
const addressReasons: Readonly<Record<string, string>> = { EBUSY: 'a driver of the kernel has this chip' };

const callOf = (error: unknown): unknown => (error instanceof Error && 'syscall' in error ? error.syscall : undefined);

function reasonOf(error: unknown, code: string): string {
  const call = callOf(error);
  const known = call === 'open' ? openReasons : call === addressCall ? addressReasons : reasons;
  return known[code] ?? `the kernel reports ${code}`;
}

/**
 * An I2C bus of the computer. It is opened at the first use, and again after it could not be opened. One call at a time: the bus takes
 * no more, and each call that waits in the kernel would hold one of the few threads that the files of PWM need too.
 */
export class LinuxI2cBus implements I2cBus {
  readonly #options: LinuxI2cBusOptions;
  #connection: Promise<I2cConnection> | undefined;
  /** Never rejects. */
  #lastCall: Promise<unknown> = Promise.resolve();
  #timesClosed = 0;

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
    this.#timesClosed += 1;
    // A bus that could not be opened has nothing to close; its callers received the error.
    const connection = await opening?.catch(() => undefined);
    await connection?.close();
  }

  async #open(): Promise<I2cConnection> {
    const { busNumber, load } = this.#options;
    return (await load()).openPromisified(busNumber);
  }

  async #tried<T>(address: number, operation: string, work: (bus: I2cConnection) => Promise<T>): Promise<T> {
    const timesClosed = this.#timesClosed;
    try {
      return await this.#inTurn(async () => {
        if (timesClosed !== this.#timesClosed)
          throw new BusError(i2cDevice(address), operation, 'the bus was closed meanwhile');
        this.#connection ??= this.#open();
        const opening = this.#connection;
        try {
          return await work(await opening);
        } catch (error) {
          await this.#dropUnusable(opening, error);
          throw error;
        }
      });
    } catch (error) {
      throw error instanceof BusError ? error : this.#busError(i2cDevice(address), operation, error);
    }
  }

  /**
   * A bus that could not be opened is opened again by the next call. So is one whose address was refused: the addon keeps the file, and
   * would send what follows to the address that the file has, 0, which calls all chips at once.
   */
  async #dropUnusable(opening: Promise<I2cConnection>, error: unknown): Promise<void> {
    const connection = await opening.catch(() => undefined);
    const isUsable = connection !== undefined && callOf(error) !== addressCall;
    if (isUsable || this.#connection !== opening) return;
    this.#connection = undefined;
    await connection?.close();
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
    return new BusError(device, operation, reasonOf(error, code), { cause: error });
  }
}
