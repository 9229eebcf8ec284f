import { useMemo } from 'react';
import { useAssignments, useExperiments } from '../services/queries.ts';
import { type ExperimentRows, toRows } from './experiment-rows.ts';

const none: ExperimentRows = { rows: [], broken: [] };

/** All experiments with their worker counts. */
export function useExperimentRows() {
  const experiments = useExperiments();
  const assignments = useAssignments();
  const list = useMemo(
    () => (experiments.data ? toRows(experiments.data, assignments.data) : none),
    [experiments.data, assignments.data],
  );
  return { ...list, isKnown: experiments.data !== undefined, query: experiments };
}
