import { clusterExperiment } from '@lcs/contract';
import type { NewNote } from '../outbox/new-record.ts';
import type { CalibrationFileChange } from './calibration-files.ts';

/** The change of a calibration or an estimator, as an event. */
export const changeEvent = ({ device, name, change }: CalibrationFileChange) => ({
  name: 'calibration',
  data: { device, calibration_name: name, change },
});

/** The same for the leader. */
export const changeNote = (change: CalibrationFileChange): NewNote => ({
  kind: 'event',
  experiment_uid: clusterExperiment,
  source: null,
  message: null,
  ...changeEvent(change),
});
