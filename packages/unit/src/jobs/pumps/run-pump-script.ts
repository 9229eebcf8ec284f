import { readPumpScript } from '@lcs/domain';
import type { JobContext } from '@lcs/node';
import { PumpRefused, type Pumps } from './pumping.ts';
import { stoppedBy } from './refusals.ts';

interface PumpScript {
  readonly args: readonly string[];
  readonly source: string;
  /** Called when every pump of the script may run; the first step may be a pause. */
  readonly begun: () => void;
}

/** Runs pumps one after the other. @throws PumpRefused when one of them does not do its part: the rest is left */
export async function runPumpScript(
  context: JobContext,
  pumps: Pumps,
  { args, source, begun }: PumpScript,
  signal: AbortSignal,
): Promise<void> {
  const script = readPumpScript(args);
  if (typeof script === 'string') throw new PumpRefused(script);
  const refused = pumps.check(script.flatMap((step) => ('pump' in step ? [step.pump] : [])));
  if (refused !== undefined) throw refused;
  begun();
  const because = { origin: source, rule: `Script: ${args.join(' ')}.` };
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
    if (stopped !== undefined) throw stoppedBy(stopped, `${pump} ${volumeMl}: `);
  }
}
