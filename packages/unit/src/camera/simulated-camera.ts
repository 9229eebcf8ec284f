import { BusError, jpegOf, type VialView, vialPicture } from '@lcs/hardware';
import { toTimestamp } from '@lcs/platform';
import { type Camera, CaptureFailed } from './camera.ts';

/** A camera that draws what is in the simulated vial. */
export const simulatedCamera = (view: () => Promise<VialView | undefined>): Camera => ({
  detect: async () => ({ detection: 'detected', isAvailable: true, command: null, isMock: true }),
  capture: async (_config, atMs, signal) => {
    let seen: VialView | undefined;
    try {
      seen = await view();
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      throw new CaptureFailed(`The simulated vial cannot be seen: ${error.message}`, { cause: error });
    }
    signal.throwIfAborted();
    if (seen === undefined) throw new CaptureFailed('The simulated board has nothing to look at.');
    return jpegOf(vialPicture(seen, toTimestamp(atMs).slice(0, 19)));
  },
});
