import { useEffect, useEffectEvent } from 'react';
import { useServices } from '../services/services.tsx';

/** Entries that come within this time are read together: an exchange is several events. */
const pauseMs = 1_500;
/** Where something happens all the time, it is read at most so often. */
const leastIntervalMs = 10_000;

/** Calls `read` some time after something has happened in an experiment, or after events of the live stream were missed. */
export function useHappenings(experiment: string, isWanted: boolean, read: () => void): void {
  const { updates, clock } = useServices();
  const readAgain = useEffectEvent(read);
  useEffect(() => {
    if (!isWanted) return undefined;
    let cancel: (() => void) | null = null;
    let readAtMs = Number.NEGATIVE_INFINITY;
    const happened = (): void => {
      cancel ??= clock.after(Math.max(pauseMs, readAtMs + leastIntervalMs - clock.now()), () => {
        cancel = null;
        readAtMs = clock.now();
        readAgain();
      });
    };
    const ofExperiment = (event: { readonly experiment: string | null }): void => {
      if (event.experiment === experiment) happened();
    };
    const stops = [updates.onDose(ofExperiment), updates.onLog(ofExperiment), updates.onMissed(happened)];
    return () => {
      for (const stop of stops) stop();
      cancel?.();
    };
  }, [updates, clock, experiment, isWanted]);
}
