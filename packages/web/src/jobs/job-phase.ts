import type { LiveJob } from '@lcs/contract';
import { onlyRecordTemperature, temperatureAutomationJob } from '@lcs/domain';
import { roundText } from '../ui/number-text.ts';
import { startWords } from '../words/start.ts';

export type JobPhase = 'unknown' | 'off' | 'starting' | 'on' | 'paused' | 'lost';

/** The state of a job for people; before the live stream has sent the running jobs it is unknown. */
export function jobPhase(job: LiveJob | undefined, isKnown = true): JobPhase {
  if (!isKnown) return 'unknown';
  switch (job?.state) {
    case 'init':
      return 'starting';
    case 'ready':
      return 'on';
    case 'sleeping':
      return 'paused';
    case 'lost':
      return 'lost';
    default:
      return 'off';
  }
}

/** Whether the job runs, pauses or starts. */
export const isRunning = (phase: JobPhase): boolean => phase === 'on' || phase === 'paused' || phase === 'starting';

const jobPhaseText: { readonly [Phase in JobPhase]: string } = startWords.jobPhases;

/** What a job does that runs, where its name does not say it: a temperature automation may only record. */
function modeText({ job_name, settings }: LiveJob): string | undefined {
  const { automation_name: automation, target_temperature: target } = settings;
  if (job_name !== temperatureAutomationJob.name) return undefined;
  if (automation === onlyRecordTemperature.name) return startWords.recordsOnly;
  return typeof target === 'number' ? `${roundText(target, 1)} °C` : undefined;
}

/** The state of a job in words, with what it does while it runs. */
export const jobStateText = (phase: JobPhase, job: LiveJob | undefined): string =>
  (phase === 'on' && job !== undefined ? modeText(job) : undefined) ?? jobPhaseText[phase];

/** The job of a name that a unit runs for an experiment; of several the newest. */
export const jobOf = (jobs: readonly LiveJob[], unit: string, experiment: string, name: string): LiveJob | undefined =>
  jobs
    .filter((job) => job.reactor_unit === unit && job.experiment === experiment && job.job_name === name)
    .sort((left, right) => right.job_id - left.job_id)[0];
