import { readPumpScript } from '@lcs/domain';
import type { JobContext } from '@lcs/platform';
import { PumpRefused, type Pumps } from './pumping.ts';
import { stoppedText } from './unit-pumps.ts';

/** Runs pumps one after the other. @throws PumpRefused when one of them does not do its part: the rest is left */
export async function runPumpScript(
  context: JobContext,
  pumps: Pumps,
  { words, source }: { readonly words: readonly string[]; readonly source: string },
  signal: AbortSignal,
): Promise<void> {
  const script = readPumpScript(words);
  if (typeof script === 'string') throw new PumpRefused(script);
  const because = { origin: source, rule: `Script: ${words.join(' ')}.` };
  for (const step of script) {
    if (signal.aborted) return;
    if ('sleepS' in step) {
      await context.clock.sleep(1000 * step.sleepS, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      continue;
    }
    const { pump, volumeMl } = step;
    const { stopped } = await pumps.dose(
      context,
      { pump, amount: { volumeMl }, sourceOfEvent: source, because },
      signal,
    );
    if (stopped === 'stopped') return;
    if (stopped !== undefined) throw new PumpRefused(`${pump} ${volumeMl}: ${stoppedText(stopped)}`);
  }
}
