import type { Assignment } from '@lcs/contract';
import { useMemo } from 'react';
import { useAssignments } from '../services/queries.ts';
import { useOfAllUnits } from '../services/use-by-unit.ts';
import { type ClusterState, clusterState } from './cluster-state.ts';

const none: readonly Assignment[] = [];

/** How many units run and how many alarms wait; `undefined`: not known yet. Drawn again only when a number changes. */
export function useClusterState(): ClusterState | undefined {
  const { data } = useAssignments();
  const assignments = data ?? none;
  const numbers = useOfAllUnits((jobs, alarms = []) => {
    if (jobs === undefined) return '';
    const { running, assigned, lacking, alarms: count, acknowledged } = clusterState({ assignments, jobs, alarms });
    return [running, assigned, lacking, count, acknowledged].join(' ');
  });
  return useMemo(() => {
    if (data === undefined || numbers === '') return undefined;
    const [running = 0, assigned = 0, lacking = 0, alarms = 0, acknowledged = 0] = numbers.split(' ').map(Number);
    return { running, assigned, lacking, alarms, acknowledged };
  }, [data, numbers]);
}
