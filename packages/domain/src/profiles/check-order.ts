import type { ProfileFinding } from './diagnostic.ts';
import type { Profile, ProfileAction, ProfileJobs } from './profile.ts';
import { profileTime } from './profile-time.ts';

type Report = (finding: ProfileFinding) => void;
interface Timed {
  readonly path: string;
  readonly type: ProfileAction['type'];
  /** The earliest time at which it can be executed. */
  readonly fromMs: number;
}

const needsStart = new Set<string>(['stop', 'pause', 'resume', 'update']);

const timeOf = ({ t, hours_elapsed }: ProfileAction): number => {
  const time = profileTime(t ?? hours_elapsed ?? 0);
  // An invalid time has its own diagnostic.
  return time.ok ? time.ms : 0;
};

function timed(actions: readonly ProfileAction[], path: string, fromMs = 0): readonly Timed[] {
  return actions.flatMap((action, index) => {
    const own = { path: `${path}.actions[${index}]`, type: action.type, fromMs: fromMs + timeOf(action) };
    const inner = action.type === 'repeat' || action.type === 'when' ? timed(action.actions, own.path, own.fromMs) : [];
    return [own, ...inner];
  });
}

const timedIn = (jobs: ProfileJobs, job: string, path: string): readonly Timed[] =>
  timed(Object.hasOwn(jobs, job) ? (jobs[job]?.actions ?? []) : [], `${path}.${job}`);

/** Reports actions on a job before the profile starts it. Starts in the common jobs apply to each unit. */
export function checkOrder(report: Report, { common, reactors }: Profile): void {
  const groups = [
    ...Object.keys(common.jobs).map((job) => ({ job, own: timedIn(common.jobs, job, 'common.jobs'), others: [] })),
    ...Object.entries(reactors).flatMap(([unit, { jobs }]) =>
      Object.keys(jobs).map((job) => ({
        job,
        own: timedIn(jobs, job, `reactors.${unit}.jobs`),
        others: timedIn(common.jobs, job, 'common.jobs'),
      })),
    ),
  ];
  for (const { job, own, others } of groups) {
    const starts = [...own, ...others].filter(({ type }) => type === 'start').map(({ fromMs }) => fromMs);
    const firstMs = starts.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
    for (const { type, path, fromMs } of own) {
      if (!needsStart.has(type) || firstMs <= fromMs) continue;
      const message = `'${type}' comes before any start of ${job} in this profile.`;
      const hint = 'The action has no effect unless the job already runs.';
      report({ severity: 'warning', code: 'job.ordering.before_start', message, path, hint });
    }
  }
}
