import {
  type CallOptions,
  type calibrationRoutes,
  type Handlers,
  hasShape,
  OpenSession,
  PassedOnError,
  type ResultOf,
  type RouteDeclaration,
  unitApi,
} from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';
import { calibrationPaths } from './calibration-tasks.ts';

type Routes = typeof calibrationRoutes;

/** Time limits of a worker for a step of a session, and for other requests. */
const stepLimitMs = 300_000;
const otherLimitMs = 30_000;

/** The refusal names the conflicting session; its paths belong to this node. */
function withOwnPaths(unit: string, error: unknown): unknown {
  if (!(error instanceof PassedOnError) || error.body.code !== 'session_exists') return error;
  const diagnostics = (error.body.diagnostics ?? []).map((open) => {
    if (!hasShape(OpenSession, open)) return open;
    const path = `/api/workers/${encodeURIComponent(unit)}/calibrations/sessions/${open.session_id}`;
    return { ...open, resume_path: path, abort_path: `${path}/abort` };
  });
  return new PassedOnError({ ...error.body, diagnostics });
}

/** Sessions of one worker: its responses are passed on. */
export function sessionProxies(context: Pick<LeaderContext, 'leader' | 'database' | 'change' | 'fleet'>) {
  const { fleet, change } = context;
  const ask = async <const Route extends RouteDeclaration>(
    unit: string,
    route: Route,
    call: CallOptions<Route>,
    options: Parameters<typeof askUnit>[4],
  ): Promise<ResultOf<Route>> => {
    await expectOneWorker(context, unit);
    const answer = await askUnit(fleet, unit, route, call, options);
    // The open sessions have changed; a session ends with new calibrations and estimators.
    fleet.forget([unit], calibrationPaths);
    return answer;
  };
  /** A session has begun or ended: the unit stores it, the leader only publishes it. */
  const publish = (unit: string): Promise<void> =>
    change(async (_, effects) => effects.live('calibrations', unit, { reactor_unit: unit }));
  const other = { limitMs: otherLimitMs };
  return {
    startCalibrationSession: async ({ params: { reactor_unit: unit }, body: { target_device, protocol_name } }) => {
      const call = { body: { target_device, protocol_name } };
      const options = { ...other, requiresChanges: true } as const;
      const begun = await ask(unit, unitApi.startUnitCalibrationSession, call, options).catch((error: unknown) => {
        throw withOwnPaths(unit, error);
      });
      await publish(unit);
      return { status: 201, body: begun };
    },
    getCalibrationSession: async ({ params: { reactor_unit: unit, session_id } }) => ({
      status: 200,
      body: await ask(unit, unitApi.getUnitCalibrationSession, { params: { session_id } }, other),
    }),
    advanceCalibrationSession: async ({ params: { reactor_unit: unit, session_id }, body: { inputs = {} } }) => {
      const call = { params: { session_id }, body: { inputs } };
      const options = { limitMs: stepLimitMs, waits: true };
      const body = await ask(unit, unitApi.advanceUnitCalibrationSession, call, options);
      if (body.session.status !== 'in_progress') await publish(unit);
      return { status: 200, body };
    },
    abortCalibrationSession: async ({ params: { reactor_unit: unit, session_id } }) => {
      const body = await ask(unit, unitApi.abortUnitCalibrationSession, { params: { session_id } }, other);
      await publish(unit);
      return { status: 200, body };
    },
  } satisfies Partial<Handlers<Routes>>;
}
