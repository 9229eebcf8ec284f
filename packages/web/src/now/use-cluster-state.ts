import type { Assignment } from '@lcs/contract';
import { useMemo } from 'react';
import { useAssignments } from '../services/queries.ts';
import { useOfAllUnits } from '../services/use-by-unit.ts';
import { type ClusterState, clusterState } from './cluster-state.ts';

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const none: readonly Assignment[] = [];

/** How many units run, which profiles run and how many alarms wait; `undefined`: not known yet. Drawn again only when one of them changes. */
export function useClusterState(): ClusterState | undefined {
  const { data } = useAssignments();
  const assignments = data ?? none;
  const summary = useOfAllUnits((jobs, alarms = [], held = []) => {
    if (jobs === undefined) return '';
    const { profiles, ...counts } = clusterState({ assignments, jobs, alarms, held });
    const { running, assigned, lacking, alarms: count, acknowledged, muted } = counts;
    return [[running, assigned, lacking, count, acknowledged, muted].join(' '), ...profiles.map(onOneLine)].join('\n');
  });
  return useMemo(() => {
    if (data === undefined || summary === '') return undefined;
    const [counts = '', ...profiles] = summary.split('\n');
    const [running = 0, assigned = 0, lacking = 0, alarms = 0, acknowledged = 0, muted = 0] = counts
      .split(' ')
      .map(Number);
    return { running, assigned, lacking, alarms, acknowledged, muted, profiles };
  }, [data, summary]);
}
