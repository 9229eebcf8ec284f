import { ApiError, type CallOptions, type ResultOf, type RouteDeclaration, withFurtherFields } from '@lcs/contract';
import { compileSchema } from '@lcs/platform';
import type { Fleet, PassedOnRequest } from '../core/leader-context.ts';
import { unitPath } from './unit-url.ts';

type AskOptions = Omit<PassedOnRequest, 'method' | 'path' | 'body'>;

interface UnitCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Calls a route of one unit; returns its answer in the declared shape.
 * @throws PassedOnError with the unit's own error body
 * @throws ApiError unit_gave_no_answer
 */
export async function askUnit<const Route extends RouteDeclaration>(
  fleet: Pick<Fleet, 'passOn'>,
  unit: string,
  route: Route,
  call: CallOptions<Route>,
  options: AskOptions,
): Promise<ResultOf<Route>>;
export async function askUnit(
  fleet: Pick<Fleet, 'passOn'>,
  unit: string,
  route: RouteDeclaration,
  { params = {}, body }: UnitCall,
  options: AskOptions,
): Promise<unknown> {
  const { method, responses } = route;
  const request = { method, path: unitPath(route, params), ...(body !== undefined && { body }), ...options };
  const answer = await fleet.passOn(unit, request);
  const declared = responses[answer.status];
  // Compiled: runs of profiles ask again and again what a job publishes.
  if (declared !== undefined && compileSchema(withFurtherFields(declared.schema)).check(answer.body))
    return answer.body;
  throw new ApiError('unit_gave_no_answer', { unit, cause: `${method} ${route.path} declares another answer.` });
}
