import fc from 'fast-check';
import { type Known, measured, prototypeNames } from '../known.ts';
import { type Feature, forAll, type Given, mostly, oneOf, usually } from './given.ts';

const names = [
  ...Array.from({ length: 13 }, (_, index) => `p${index}.yaml`),
  ...prototypeNames.slice(0, 3).map((name) => `${name}.yaml`),
];

const profileOf = (actions: string): string => `version: "1.0"
experiment_profile_name: steps
common:
  jobs:
    stirring:
      actions:
${actions}`;

/** Its runs last longer than the test, even if its log entry is skipped. */
export const lastingProfile = profileOf(`        - {type: start, t: 0s, options: {target_rpm: 400}}
        - {type: log, t: 1h, options: {message: hello}}
        - {type: stop, t: 100h}
`);

const good = [
  lastingProfile,
  profileOf('        - {type: log, t: 1s, options: {message: hello}}\n'),
  profileOf('        - {type: start, t: 0s, options: {constructor: 1, __proto__: 2}}\n'),
];
const bad = [profileOf("        - {type: start, t: '1x'}\n"), 'a: [', '', '- 1', 'version: 1\nextra: 2\n'];

const bodies = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...good) },
  { weight: 1, arbitrary: fc.constantFrom(...bad) },
);

const present = (known: Known): fc.Arbitrary<string> => mostly(known.model.state.profiles.keys(), names);
const absent = (known: Known): fc.Arbitrary<string> =>
  mostly(
    names.filter((name) => !known.model.state.profiles.has(name)),
    names,
  );

/** A run; one that has not ended where there is one. */
function run(known: Known): fc.Arbitrary<Given> {
  const live = known.runs.filter(({ ended_at }) => ended_at === null);
  const some = live.length > 0 ? live : known.runs.slice(0, 3);
  return oneOf(some, { experiment: measured, run_id: '1', ended_at: null }).map(({ experiment, run_id }) => ({
    params: { experiment, run_id },
    query: {},
  }));
}

const skips = (known: Known): fc.Arbitrary<Given> =>
  run(known).map((given) => ({
    ...given,
    body: { reactor_unit: 'real1', path: 'common.jobs.stirring.actions[1]', iteration: 0 },
  }));

export const profiles: Feature = {
  values: () => ({ create: fc.constantFrom('true', 'false') }),
  requests: {
    ...forAll(['createExperimentProfile', 'createContributedProfile'], (known) =>
      fc.tuple(absent(known), bodies).map(([filename, body]) => ({ body: { filename, body } })),
    ),
    ...forAll(
      ['getExperimentProfile', 'getContributedProfile', 'deleteExperimentProfile', 'deleteContributedProfile'],
      (known) => present(known).map((filename) => ({ params: { filename } })),
    ),
    saveExperimentProfile: (known) =>
      fc
        .tuple(present(known), bodies, fc.constantFrom({}, { create: 'true' }))
        .map(([filename, body, query]) => ({ params: { filename }, query, body: { body } })),
    saveContributedProfile: (known) =>
      fc.tuple(present(known), bodies).map(([filename, body]) => ({ body: { filename, body } })),
    preflightExperimentProfile: (known) =>
      fc
        .tuple(oneOf(known.model.experiments, measured), oneOf(known.model.state.profiles.keys(), 'p0.yaml'))
        .chain(([experiment, filename]) =>
          usually<object>([{ filename }, { body: good[0] }], [{}, { filename, body: good[0] }]).map((body) => ({
            params: { experiment },
            body,
          })),
        ),
    // One rehearsal is computed at a time; these are short.
    simulateExperimentProfile: () =>
      usually<object>(
        [{ body: good[0], hours: 0.1, draws: 1 }],
        [{ body: 'a: [' }, { body: good[0], hours: 0.1, draws: 0 }],
      ).map((body) => ({ body })),
    skipProfileItem: skips,
    ...forAll(['pauseProfileRun', 'resumeProfileRun', 'stopProfileRun'], run),
    ...forAll(['getProfileRun', 'listProfileRunActions', 'exportProfileRun'], run),
    ...forAll(['checkExperimentProfile', 'planExperimentProfile', 'formatExperimentProfile'], () =>
      bodies.map((body) => ({ body: { body } })),
    ),
  },
};
