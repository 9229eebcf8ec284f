import { clusterExperiment } from '@lcs/contract';
import type { NewNote } from '../outbox/new-record.ts';
import type { ArtefactChange } from './artefact-shelf.ts';

/** What has become of a calibration or an estimator, for the leader. */
export const changeNote = ({ device, name, change }: ArtefactChange): NewNote => ({
  kind: 'event',
  name: 'calibration',
  experiment_uid: clusterExperiment,
  source: null,
  message: null,
  data: { device, calibration_name: name, change },
});
