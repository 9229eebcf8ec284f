/**
 * What this program uses of the package `i2c-bus` (version 5), which uses the kernel's `i2c-dev`. Both calls are one
 * transaction with a repeated start: the node and its guard cannot come between a register's number and its content.
 */
export interface I2cBinding {
  openPromisified(busNumber: number): Promise<I2cConnection>;
}

export interface I2cConnection {
  readI2cBlock(address: number, command: number, length: number, buffer: Buffer): Promise<{ bytesRead: number }>;
  writeI2cBlock(address: number, command: number, length: number, buffer: Buffer): Promise<{ bytesWritten: number }>;
  close(): Promise<void>;
}

/** The package is not installed, or has an unexpected interface. */
export class I2cBindingMissing extends Error {
  constructor(cause: unknown) {
    super('the package i2c-bus is not installed (run "npm install i2c-bus" where lcs is installed)', { cause });
    this.name = 'I2cBindingMissing';
  }
}

const isBinding = (value: unknown): value is I2cBinding =>
  typeof value === 'object' &&
  value !== null &&
  'openPromisified' in value &&
  typeof value.openPromisified === 'function';

/**
 * Loads the binding only when a real board is opened: it is a native addon, and simulated
 * boards do not need it. @throws I2cBindingMissing
 */
export async function loadI2cBinding(name: string): Promise<I2cBinding> {
  const loaded = await importAny(name);
  const candidates = [
    loaded,
    typeof loaded === 'object' && loaded !== null ? Reflect.get(loaded, 'default') : undefined,
  ];
  const binding = candidates.find(isBinding);
  if (binding === undefined) throw new I2cBindingMissing(undefined);
  return binding;
}

async function importAny(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    throw new I2cBindingMissing(error);
  }
}
