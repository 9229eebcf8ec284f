import {
  ApiError,
  type calibrationRoutes,
  type Handlers,
  OpenSession,
  PassedOnError,
  SessionEnvelope,
} from '@lcs/contract';
import { Value } from 'typebox/value';
import type { LeaderContext, PassedOnRequest } from '../core/leader-context.ts';
import { jsonOf } from '../fleet/outcome.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';
import { calibrationPaths } from './calibration-tasks.ts';

type Routes = typeof calibrationRoutes;

/** How long a worker may take for a step of a session, and for anything else. */
const stepLimitMs = 300_000;
const otherLimitMs = 30_000;

const sessions = '/unit_api/calibrations/sessions';
const pathOf = (sessionId: string): string => `${sessions}/${encodeURIComponent(sessionId)}`;

/** The refusal names the session in the way; its paths are those of this node. */
function withOwnPaths(unit: string, error: unknown): unknown {
  if (!(error instanceof PassedOnError) || error.body.code !== 'session_exists') return error;
  const diagnostics = (error.body.diagnostics ?? []).map((open) => {
    if (!Value.Check(OpenSession, open)) return open;
    const path = `/api/workers/${encodeURIComponent(unit)}/calibrations/sessions/${open.session_id}`;
    return { ...open, resume_path: path, abort_path: `${path}/abort` };
  });
  return new PassedOnError({ ...error.body, diagnostics });
}

/** Sessions of one worker: its answers are passed on. */
export function sessionProxies(context: Pick<LeaderContext, 'database' | 'fleet'>) {
  const { fleet } = context;
  const ask = async (unit: string, request: PassedOnRequest): Promise<SessionEnvelope> => {
    await expectOneWorker(context, unit);
    const { body } = await fleet.passOn(unit, request);
    // Which sessions are open has changed, and what one ends with are calibrations and estimators.
    fleet.forget([unit], calibrationPaths);
    if (Value.Check(SessionEnvelope, body)) return body;
    throw new ApiError('unit_gave_no_answer', { unit, cause: 'What it sent is no calibration session.' });
  };
  return {
    startCalibrationSession: async ({ params: { reactor_unit: unit }, body }) => {
      const { target_device, protocol_name } = body;
      const wanted = { target_device, protocol_name };
      const request = {
        method: 'POST',
        path: sessions,
        body: wanted,
        limitMs: otherLimitMs,
        seesChanges: true,
      } as const;
      const begun = await ask(unit, request).catch((error: unknown) => {
        throw withOwnPaths(unit, error);
      });
      return { status: 201, body: begun };
    },
    getCalibrationSession: async ({ params: { reactor_unit: unit, session_id: id } }) => ({
      status: 200,
      body: await ask(unit, { method: 'GET', path: pathOf(id), limitMs: otherLimitMs }),
    }),
    advanceCalibrationSession: async ({ params: { reactor_unit: unit, session_id: id }, body }) => {
      const path = `${pathOf(id)}/inputs`;
      const inputs = { inputs: jsonOf(body.inputs ?? {}) };
      const request = { method: 'POST', path, body: inputs, limitMs: stepLimitMs, waits: true } as const;
      return { status: 200, body: await ask(unit, request) };
    },
    abortCalibrationSession: async ({ params: { reactor_unit: unit, session_id: id } }) => ({
      status: 200,
      body: await ask(unit, { method: 'POST', path: `${pathOf(id)}/abort`, body: {}, limitMs: otherLimitMs }),
    }),
  } satisfies Partial<Handlers<Routes>>;
}
