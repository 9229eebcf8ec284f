import { ownValue } from '@lcs/contract';
import { useCallback, useMemo } from 'react';
import { useAssignments, useHistory, useLabels } from '../services/queries.ts';

const naturally = new Intl.Collator('en', { numeric: true });

/** All units that are or were in an experiment, in the order of their colours, and their labels. */
export function useExperimentUnits(experiment: string) {
  const { data: assignments } = useAssignments();
  const { data: history } = useHistory(experiment);
  const { data: labels } = useLabels(experiment);
  const units = useMemo(() => {
    const now = (assignments ?? []).filter((each) => each.experiment === experiment);
    const all = [...now, ...(history ?? [])].map(({ reactor_unit }) => reactor_unit);
    return [...new Set(all)].sort(naturally.compare);
  }, [assignments, history, experiment]);
  const nameOf = useCallback((unit: string): string => ownValue(labels ?? {}, unit) ?? unit, [labels]);
  return { units, nameOf };
}
