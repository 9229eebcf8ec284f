import { BusError, type UnitBoard } from '@lcs/hardware';
import { type Camera, CaptureFailed } from './camera.ts';

/** A camera of the simulated vial. */
export const simulatedCamera = (still: NonNullable<UnitBoard['still']>): Camera => ({
  detect: async () => ({ detection: 'detected', isAvailable: true, command: null, isMock: true }),
  capture: async (_config, atMs, signal) => {
    let taken: Uint8Array | undefined;
    try {
      taken = await still(atMs);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      throw new CaptureFailed(`The simulated vial cannot be seen: ${error.message}`, { cause: error });
    }
    signal.throwIfAborted();
    if (taken === undefined) throw new CaptureFailed('The simulated board has no camera view.');
    return taken;
  },
});
