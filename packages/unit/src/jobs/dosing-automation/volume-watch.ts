import type { JobContext } from '@lcs/platform';
import type { Pumps } from '../pumps/pumping.ts';

/** From this share of the limit on people are warned. As a similar system has it. */
const warnShare = 0.95;

/** How often the volume is looked at, and a warning said again at most. As a similar system has it. */
const everyMs = 10_000;

type Context = Pick<JobContext, 'repeat' | 'log'>;

/** Watches the volume of the vial whoever changes it: at its limit the automation has to rest. */
export function watchVolume(context: Context, pumps: Pumps, mustRest: (why: string) => void): void {
  context.repeat(everyMs, () => {
    const [volumeMl, limitMl] = [pumps.volumeMl(), pumps.stopLimitMl()];
    if (limitMl <= 0) return;
    const is = `${volumeMl.toFixed(2)} mL are in the vial`;
    if (volumeMl >= limitMl) mustRest(`${is}, and its limit is ${limitMl} mL. Check the waste pump and its tube.`);
    else if (volumeMl >= warnShare * limitMl)
      context.log('WARNING', `${is}, close to its limit of ${limitMl} mL. Check the waste pump and its tube.`);
  });
}
