import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const runningProfilesWords = {
  outcomeTexts: { finished: 'Finished', stopped: 'Stopped', failed: 'Failed' },
  withFailures: (failed: string) => ` with ${failed}`,
  dryRunInline: ' (dry run)',
  partProfile: 'The profile',
  endedWithFailuresAt: (runState: string, moment: ReactNode) =>
    rich`${runState} at ${moment}: the link shows which steps were not done.`,
  asksAboutMissedAction: 'asks about a missed action',
  isPaused: 'is paused',
  isRunning: 'is running',
  endedWithFailures: (failed: string) => `, with ${failed}: the link shows which steps were not done`,
  // On the page Now
  nextOn: (units: string, step: string) => (units === '' ? `next: ${step}` : `next on ${units}: ${step}`),
  now: (step: string) => `now: ${step}`,
  runOfExperiment: (name: ReactNode, experiment: string) => rich`Profile ${name} (${experiment})`,
  runOfUnit: (name: ReactNode) => rich`Profile ${name}`,
  noStepLeft: 'no step is left',
  paused: 'paused',
} as const;
