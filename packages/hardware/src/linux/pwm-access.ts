import type { Clock } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import { errnoOf } from './errno.ts';

/** After files have appeared udev gives them to a group: until then they may not be written. */
const permissionAttempts = 4;
const permissionWaitMs = 50;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write it (it must be in the group gpio)',
  EPERM: 'this user may not write it (it must be in the group gpio)',
  EINVAL: 'invalid argument',
  EBUSY: 'another program uses it',
};

/** Tries again while a permission is missing that udev may still give. */
export async function patiently<T>(wire: Pick<Clock, 'sleep'>, work: () => Promise<T>): Promise<T> {
  for (let left = permissionAttempts - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM';
      if (!mayPass || left === 0) throw error;
      await wire.sleep(permissionWaitMs);
    }
  }
}

/** An operation on the files of a channel: errors of the kernel become a BusError. */
export async function onChannel<T>(channel: number, operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusError) throw error;
    const code = errnoOf(error);
    if (code === undefined) throw error;
    throw new BusError(`pwm ${channel}`, operation, reasons[code] ?? `the kernel reports ${code}`, { cause: error });
  }
}
