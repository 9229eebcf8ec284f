import type { JobContext } from '@lcs/node';
import type { Pumps } from '../pumps/pumping.ts';

/** From this share of the limit the job logs a warning. As in a similar system. */
const warnShare = 0.95;

type Context = Pick<JobContext, 'repeat' | 'log'>;

/** Monitors the volume of the vial at this interval; at its limit dosing is blocked. */
export function watchVolume(
  context: Context,
  pumps: Pumps,
  everyMs: number,
  block: (why: string) => void | Promise<void>,
): void {
  context.repeat(everyMs, () => {
    const [volumeMl, limitMl] = [pumps.volumeMl(), pumps.stopLimitMl()];
    if (limitMl <= 0) return undefined;
    const is = `${volumeMl.toFixed(2)} mL are in the vial`;
    if (volumeMl >= limitMl) return block(`${is}, and its limit is ${limitMl} mL. Check the waste pump and its tube.`);
    else if (volumeMl >= warnShare * limitMl)
      context.log('WARNING', `${is}, close to its limit of ${limitMl} mL. Check the waste pump and its tube.`);
    return undefined;
  });
}
