import type { ExperimentAccess } from '@lcs/contract';
import { useQueries } from '@tanstack/react-query';
import { createContext, useCallback, useContext } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { type Gate, gateOf, openGate, type Requirement } from './gate.ts';
import { useExperimentAccess, useSession } from './queries.ts';
import { useServices } from './services.tsx';

/** The experiment that the controls below act on: `<ConcernedExperiment value={name}>`. Undefined: none. */
export const ConcernedExperiment = createContext<string | undefined>(undefined);

/**
 * What the caller may do, by the permission that the contract declares for each route and the protection of the experiment:
 * `<Button {...may(leaderApi.createExperiment)}>`. A control of several routes is closed if one of them is refused.
 */
export function useMay(): (...routes: readonly Requirement[]) => Gate {
  const session = useSession();
  const access = useExperimentAccess(useContext(ConcernedExperiment));
  return (...routes) =>
    routes.map((route) => gateOf(session, route, access)).find(({ disabled }) => disabled) ?? openGate;
}

/** Whether the caller may call a route in each of these experiments, which may be protected. */
export function useMayIn(experiments: readonly string[]): (route: Requirement, experiment: string) => boolean {
  const { leader } = useServices();
  const session = useSession();
  const access = useQueries({
    queries: experiments.map((experiment) => ({
      queryKey: queryKeys.experimentAccess(experiment),
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<ExperimentAccess> =>
        leader.getExperimentAccess({ params: { experiment }, signal }),
    })),
    combine: (answers) => JSON.stringify(answers.map(({ data }) => data ?? null)),
  });
  return useCallback(
    (route, experiment) => {
      const known: readonly (ExperimentAccess | null)[] = JSON.parse(access);
      return gateOf(session, route, known[experiments.indexOf(experiment)] ?? undefined).disabled !== true;
    },
    [session, access, experiments],
  );
}
