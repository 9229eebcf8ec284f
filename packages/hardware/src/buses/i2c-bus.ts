/** An I2C bus whose chips are read and written by register. Addresses are the 7-bit ones. */
export interface I2cBus {
  /** Whether chips have registers beyond their data sheet (simulated ones). On other buses no driver may use them. */
  readonly hasVendorRegisters?: boolean;
  /** Points the chip to `register` and reads `length` bytes from there. @throws BusError */
  readRegister(address: number, register: number, length: number): Promise<Uint8Array>;
  /** @throws BusError */
  writeRegister(address: number, register: number, bytes: Uint8Array): Promise<void>;
}

/** Name of an I2C device in errors and in the witness file. */
export const i2cDevice = (address: number) => `i2c 0x${address.toString(16).padStart(2, '0')}`;
