import type { IniView, JobDefinition, ResumePolicy } from '@lcs/platform';

const isPolicy = (word: string | undefined): word is ResumePolicy =>
  word === 'resume' || word === 'hold' || word === 'off';

/** What `[resume]` says about a job; what doses waits for a person by default. */
export function resumePolicyOf(
  { name, stopGroup }: Pick<JobDefinition, 'name' | 'stopGroup'>,
  config: IniView,
): ResumePolicy {
  const word = config.resume?.[name]?.trim();
  if (isPolicy(word)) return word;
  return stopGroup === 'pumps' || name === 'dosing_automation' ? 'hold' : 'resume';
}

const waitSeconds = { usual: 60, least: 10, most: 3_600 };

/** How long a unit waits for its leader before it goes on by the last known orders, in milliseconds. */
export function resumeWaitMs(config: IniView): number {
  const seconds = Number(config.resume?.wait_s?.trim() || Number.NaN);
  const wanted = Number.isFinite(seconds) ? seconds : waitSeconds.usual;
  return Math.min(waitSeconds.most, Math.max(waitSeconds.least, wanted)) * 1_000;
}
