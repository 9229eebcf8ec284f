import type { ProtocolAction } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { pwmOutput } from '../jobs/shared/job-config.ts';
import type { ActionProgress, TakeOutput } from './action-progress.ts';
import { pumpLabels } from './pump-limits.ts';

const progressEveryMs = 1_000;
/** The tube comes to rest between two pulses, as between two doses. Chosen. */
const restMs = 1_000;

/** Waits, and reports the progress regularly. @throws the signal's reason */
async function wait({ clock }: JobContext, totalMs: number, onProgress: ActionProgress): Promise<void> {
  const startMs = clock.monotonic();
  for (;;) {
    const leftMs = startMs + totalMs - clock.monotonic();
    if (leftMs <= 0) return onProgress(1);
    await clock.sleep(Math.min(leftMs, progressEveryMs));
    onProgress(Math.min(1, (clock.monotonic() - startMs) / totalMs));
  }
}

/** Runs a pump; the guard ends the run by itself, even if this job fails. @throws GuardRefused, the signal's reason */
export async function runPump(
  context: JobContext,
  take: TakeOutput,
  { device, seconds, pulses, duty }: Extract<ProtocolAction, { kind: 'pump' }>,
  onProgress: ActionProgress,
): Promise<void> {
  const pump = await take(pwmOutput(context.config, pumpLabels[device]));
  for (let pulse = 0; pulse < pulses; pulse += 1) {
    if (pulse > 0) await context.clock.sleep(restMs);
    await pump.set(duty, 1000 * seconds);
    await wait(context, 1000 * seconds, (share) => onProgress((pulse + share) / pulses));
    await pump.set(0);
  }
}
