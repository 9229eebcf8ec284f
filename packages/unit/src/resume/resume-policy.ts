import { resumeSettings, settingOrDefault } from '@lcs/domain';
import type { JobDefinition } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import type { ResumePolicy } from './resume.ts';

/** The policy of a job in section `[resume]`; jobs that dose wait for a person by default. */
export function resumePolicyOf(
  { name, stopGroup }: Pick<JobDefinition, 'name' | 'stopGroup'>,
  config: IniView,
): ResumePolicy {
  const policy = settingOrDefault(config, resumeSettings.ofJob, name);
  if (policy !== undefined) return policy;
  return stopGroup === 'pumps' || name === 'dosing_automation' ? 'hold' : 'resume';
}

/** How long a unit waits for its leader before its actuating jobs resume without it, in milliseconds. */
export const resumeWaitMs = (config: IniView): number => 1_000 * settingOrDefault(config, resumeSettings.wait);
