import { GuardLost, GuardRefused } from '@lcs/hardware';
import type { ActuatorLease } from '@lcs/node';

/** Releases a pump. After a lost guard it is off: that has switched everything off, and a new one starts with everything off. */
export async function switchedOff(pump: Pick<ActuatorLease, 'release'>): Promise<void> {
  try {
    await pump.release();
  } catch (error) {
    if (!(error instanceof GuardLost || error instanceof GuardRefused)) throw error;
  }
}
