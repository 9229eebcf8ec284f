import fc from 'fast-check';
import { type Known, prototypeNames } from '../known.ts';
import { type Feature, forAll, mostly } from './given.ts';

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

const good = [
  profileOf('        - {type: start, t: 0s, options: {target_rpm: 400}}\n        - {type: stop, t: 1h}\n'),
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
    ...forAll(['checkExperimentProfile', 'planExperimentProfile', 'formatExperimentProfile'], () =>
      bodies.map((body) => ({ body: { body } })),
    ),
  },
};
