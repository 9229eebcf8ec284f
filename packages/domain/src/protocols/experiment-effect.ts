import type { SessionStep } from '@lcs/contract';
import { pumpingJobs } from '../jobs/built-in-jobs.ts';
import { calibrationJobs } from '../jobs/calibration-jobs.ts';
import { jobTitleInText } from '../jobs/job-titles.ts';
import type { Protocol, ProtocolFacts } from './protocol.ts';

/** Jobs of which a person need not know: the monitor runs always, and sessions do their work in the others. */
const unnamedJobs: ReadonlySet<string> = new Set(['monitor', ...calibrationJobs.map(({ name }) => name)]);

function listed(words: readonly string[]): string {
  const [last] = words.slice(-1);
  return words.length < 2 ? (last ?? '') : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** What a procedure does to the experiment that its unit is in; undefined: the unit is in none. */
export function experimentEffect(
  protocol: Pick<Protocol, 'effect'>,
  device: string,
  { unit, experiment, runningJobs }: ProtocolFacts,
): string | undefined {
  if (experiment === undefined) return undefined;
  const running = [...new Set(runningJobs)].filter((job) => !unnamedJobs.has(job)).map((job) => jobTitleInText(job));
  const jobs = running.length === 0 ? '' : `, where ${listed(running)} ${running.length === 1 ? 'runs' : 'run'}`;
  return `${unit} is in the experiment ${experiment}${jobs}. ${protocol.effect(device)}`;
}

/** The step, with the effect on the experiment before its text: every client shows the text of a step. */
export const withEffect = (step: SessionStep, effect: string | undefined): SessionStep =>
  effect === undefined
    ? step
    : {
        ...step,
        body: [effect, step.body].filter(Boolean).join('\n\n'),
        metadata: { ...step.metadata, experiment_effect: effect },
      };

/** The running jobs that may move liquid: sessions and priming have their own pump, and the guard gives it to one job at a time. */
export const liquidJobs = ({ runningJobs, pluginPumpJobs }: ProtocolFacts): readonly string[] => [
  ...new Set(runningJobs.filter((job) => isLiquidJob(job) || pluginPumpJobs.includes(job))),
];

/** Whether a built-in job may move liquid by other pumps than that of a session. */
export const isLiquidJob = (job: string): boolean =>
  pumpingJobs.includes(job) && job !== 'prime_pump' && !calibrationJobs.some(({ name }) => name === job);
