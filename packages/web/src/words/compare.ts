import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const compareWords = {
  // Compare page
  noDesignStated: 'no design stated',
  growthOfReplicates: 'Growth of replicates',
  dosesOfMediumAreSubtracted: (reference: ReactNode) => rich`${reference}. Doses of medium are subtracted.`,
  groupCountsUnitsNotReadings: 'A group counts units, not readings; an experiment without groups is one group. ',
  compareExperiments: 'Compare experiments',
  nothingToCompareYet: 'Nothing to compare yet',
  chooseExperiments: 'Choose two or more experiments above, or tick them in the list of experiments.',
  chooseAnother: 'Choose another experiment above to compare it with.',
  curves: 'Curves',
  partCurves: 'The curves',
  statistics: 'The statistics',
} as const;
