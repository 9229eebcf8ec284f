import { ownValue } from '@lcs/contract';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { unitNameText } from '../words/unit-name.ts';
import { useAssignments } from './queries.ts';
import { useServices } from './services.tsx';

/** The labels that units have in the experiments that they are in. */
export function useLabelsOfUnits(isEnabled = true): ReadonlyMap<string, string> {
  const { leader } = useServices();
  const { data: assignments = [] } = useAssignments();
  const experiments = [...new Set(assignments.flatMap(({ experiment }) => experiment ?? []))];
  const text = useQueries({
    queries: experiments.map((experiment) => ({
      queryKey: queryKeys.labels(experiment),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        leader.getUnitLabels({ params: { experiment }, signal }),
      enabled: isEnabled,
    })),
    // A text, so that only a change of a label makes the list again.
    combine: (answers) =>
      JSON.stringify(
        assignments.flatMap(({ reactor_unit, experiment }) => {
          const own = experiment === null ? undefined : answers[experiments.indexOf(experiment)]?.data;
          const label = own && ownValue(own, reactor_unit);
          return label ? [[reactor_unit, label]] : [];
        }),
      ),
  });
  return useMemo(() => new Map<string, string>(JSON.parse(text)), [text]);
}

/** The names of units of all experiments, for dialogs, notices and menus. */
export function useUnitNames(isEnabled = true): (unit: string) => string {
  const labels = useLabelsOfUnits(isEnabled);
  return useCallback((unit) => unitNameText(unit, labels.get(unit)), [labels]);
}
