import type { JobContext } from '@lcs/platform';
import { JobConfig } from './job-config.ts';

/** Calls `heard` for each event of liquid that was added: the volume before it, and what came, mL. */
export function hearDoses(
  context: Pick<JobContext, 'topics' | 'listen' | 'config'>,
  heard: (volumeMl: number, addedMl: number) => void,
): void {
  // What is in the vial when nobody has told it.
  const usualMl = new JobConfig(context.config, 'bioreactor').number('initial_volume_ml', 15, { min: 0.1 });
  context.listen(context.topics.events, ({ data }, name) => {
    const { event, volume_change_ml: changeMl } = data;
    if (name !== 'dosing' || typeof event !== 'string' || typeof changeMl !== 'number') return;
    if (!event.startsWith('add_') || changeMl <= 0) return;
    const knownMl = context.topics.readings.latest('liquid_volume')?.value;
    heard(knownMl === undefined || knownMl <= 0 ? usualMl : knownMl, changeMl);
  });
}
