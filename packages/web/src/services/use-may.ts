import { createContext, useContext } from 'react';
import { type Gate, gateOf, openGate, type Requirement } from './gate.ts';
import { useExperimentAccess, useSession } from './queries.ts';

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
