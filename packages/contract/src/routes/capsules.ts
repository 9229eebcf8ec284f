import { CapsuleRequest } from '../resources/capsule.ts';
import { routes } from '../route.ts';
import { accepted } from './answers.ts';

/** All data of an experiment in one file. */
export const capsuleRoutes = routes({
  makeCapsule: {
    tag: 'Datasets',
    cache: 'no-store',
    origin: 'extension',
    method: 'POST',
    path: '/api/experiments/{experiment}/capsule',
    summary: 'Make a run capsule: one zip with all data of an experiment',
    description:
      'Readings with flags as Parquet, events, profiles, calibrations, configuration, growth curves, versions and checksums, described by RO-Crate metadata. The result of the task is `{filename, bytes, sha256, files}`; fetch the file from /exports/{filename}. `lcs capsule verify` and `lcs capsule open` read it on any machine.',
    permission: 'exports.run',
    body: CapsuleRequest,
    responses: accepted,
    errors: ['experiment_not_found'],
  },
});
