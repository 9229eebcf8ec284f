import { type Gate, gateOf, openGate, type Requirement } from './gate.ts';
import { useSession } from './queries.ts';

/**
 * What the caller may do, by the permission that the contract declares for each route:
 * `<Button {...may(leaderApi.createExperiment)}>`. A control of several routes is closed if one of them is refused.
 */
export function useMay(): (...routes: readonly Requirement[]) => Gate {
  const session = useSession();
  return (...routes) => routes.map((route) => gateOf(session, route)).find(({ disabled }) => disabled) ?? openGate;
}
