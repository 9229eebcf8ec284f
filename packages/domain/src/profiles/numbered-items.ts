import type { BasicAction, Profile, ProfileJobs } from './profile.ts';
import { byTime, isBasicItem, offsetOf, type ProfileItem, type ProfileUnits } from './timeline.ts';

function numberedIn(jobs: ProfileJobs, path: string, units: readonly string[]): readonly ProfileItem<BasicAction>[] {
  return Object.entries(jobs)
    .flatMap(([job, { actions }]) =>
      actions.flatMap((action, index) =>
        units.map((unit): ProfileItem => {
          const at = { atMs: offsetOf(action), iteration: 0, path: `${path}.${job}.actions[${index}]` };
          return { unit, job, action, ...at };
        }),
      ),
    )
    .filter(isBasicItem);
}

/**
 * The items of a profile in the order in which versions before 26.12 numbered them: their runs, which had neither conditions nor loops,
 * recorded the numbers.
 */
export function numberedItems(profile: Profile, { common, own }: ProfileUnits): readonly ProfileItem<BasicAction>[] {
  const blocks = Object.entries(profile.reactors).filter(([unit]) => own.includes(unit));
  const items = [
    ...numberedIn(profile.common.jobs, 'common.jobs', common),
    ...blocks.flatMap(([unit, { jobs }]) => numberedIn(jobs, `reactors.${unit}.jobs`, [unit])),
  ];
  return items.filter(({ action }) => action.if === true).sort(byTime);
}
