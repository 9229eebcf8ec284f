import { BusError } from '../buses/bus-error.ts';
import { type I2cBus, i2cDevice } from '../buses/i2c-bus.ts';
import { unsignedOf } from './register-bytes.ts';

/** A register of two bytes, high byte first, as an unsigned number. A shorter response is an error. @throws BusError */
export async function readWord(bus: I2cBus, address: number, register: number): Promise<number> {
  const bytes = await bus.readRegister(address, register, 2);
  if (bytes.length !== 2)
    throw new BusError(i2cDevice(address), `read register ${register}`, `${bytes.length} bytes received instead of 2`);
  return unsignedOf(bytes);
}
