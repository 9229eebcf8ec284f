import { Type } from 'typebox';
import { Blank } from '../resources/blank.ts';
import { Calibration, CreateCalibration, CreateEstimator } from '../resources/calibration.ts';
import { SessionEnvelope, SessionInputs, StartSession } from '../resources/calibration-session.ts';
import { CalibrationSummary } from '../resources/calibration-summary.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const fanOut = {
  description: 'The task has one outcome for each unit. `$broadcast` means all workers.',
  tag: 'Calibrations',
  responses: accepted,
  errors: ['unit_unknown'],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const read = { ...fanOut, method: 'GET', permission: 'calibrations.read' } as const;
const write = { ...fanOut, permission: 'calibrations.write' } as const;
const extension = { origin: 'extension' } as const;
const proxy = {
  tag: 'Calibrations',
  permission: 'calibrations.write',
  cache: 'no-store',
  origin: 'extension',
} as const satisfies Partial<RouteDeclaration>;
const proxyErrors = ['unit_unknown', 'one_unit_only', 'unit_gave_no_answer'] as const;

const worker = '/api/workers/{reactor_unit}';
const sessions = `${worker}/calibrations/sessions` as const;

/** Calibrations, estimators and sessions of units, through the leader. */
export const calibrationRoutes = routes({
  listAllCalibrations: {
    method: 'GET',
    path: '/api/calibrations',
    summary: 'The calibrations of all workers with their age and quality',
    description:
      "From the leader's copies: also those of units that are off. Curves are in the calibrations of a worker.",
    tag: 'Calibrations',
    permission: 'calibrations.read',
    responses: ok(Type.Array(CalibrationSummary)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listActiveCurves: {
    method: 'GET',
    path: '/api/calibrations/{device}/active',
    summary: 'The active calibrations of a device with their curves, of all workers',
    description:
      "From the leader's copies: also those of units that are off. A device that no worker has gives an empty list.",
    tag: 'Calibrations',
    permission: 'calibrations.read',
    responses: ok(Type.Array(Calibration)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listBlanks: {
    method: 'GET',
    path: '/api/blanks',
    summary: 'The blanks of all workers in their present experiments',
    description:
      'The job `od_blank` measures a blank; with the argument `delete` it removes one. Units of a version before 26.12 report none.',
    tag: 'Calibrations',
    permission: 'calibrations.read',
    responses: ok(Type.Array(Blank)),
    errors: [],
    cache: 'no-store',
    origin: 'extension',
  },
  listCalibrations: { ...read, path: `${worker}/calibrations`, summary: 'All calibrations of a worker, by device' },
  listDeviceCalibrations: {
    ...read,
    path: `${worker}/calibrations/{device}`,
    summary: 'The calibrations of a device of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  createCalibration: {
    ...write,
    method: 'POST',
    path: `${worker}/calibrations/{device}`,
    summary: 'Store a calibration on a worker, or on all of them',
    description: 'The leader validates the YAML first: it sends no invalid file to a worker.',
    body: CreateCalibration,
    errors: ['unit_unknown', 'invalid_body', 'unsupported_media_type', 'artefact_name_invalid', 'calibration_invalid'],
  },
  getCalibration: {
    ...read,
    path: `${worker}/calibrations/{device}/{cal_name}`,
    summary: 'One calibration of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  deleteCalibration: {
    ...write,
    method: 'DELETE',
    path: `${worker}/calibrations/{device}/{cal_name}`,
    summary: 'Delete a calibration of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  listActiveCalibrations: {
    ...read,
    path: `${worker}/active_calibrations`,
    summary: 'The active calibrations of a worker, by device',
  },
  setActiveCalibration: {
    ...write,
    method: 'PATCH',
    path: `${worker}/active_calibrations/{device}/{cal_name}`,
    summary: 'Make a calibration of a worker the active one',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  clearActiveCalibration: {
    ...write,
    method: 'DELETE',
    path: `${worker}/active_calibrations/{device}`,
    summary: 'Deactivate the calibration of a device of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  zipCalibrations: {
    ...read,
    path: `${worker}/zipped_calibrations`,
    summary: 'The calibration files of a worker, or of all of them, as a zip archive',
    description:
      '`metadata.json` in it lists the units that are included, and those that did not answer. A single unit that does not answer is 502.',
    responses: {
      200: { description: 'A zip archive', schema: Type.String(), contentType: 'application/zip' },
    },
    errors: ['unit_unknown', 'unit_gave_no_answer'],
    cache: 'no-cache',
  },
  listEstimators: {
    ...read,
    ...extension,
    path: `${worker}/estimators`,
    summary: 'All estimators of a worker, by device',
  },
  listDeviceEstimators: {
    ...read,
    ...extension,
    path: `${worker}/estimators/{device}`,
    summary: 'The estimators of a device of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  createEstimator: {
    ...write,
    ...extension,
    method: 'POST',
    path: `${worker}/estimators/{device}`,
    summary: 'Store an estimator on a worker, or on all of them',
    description: 'The leader validates the YAML first: it sends no invalid file to a worker.',
    body: CreateEstimator,
    errors: ['unit_unknown', 'invalid_body', 'unsupported_media_type', 'artefact_name_invalid', 'estimator_invalid'],
  },
  getEstimator: {
    ...read,
    ...extension,
    path: `${worker}/estimators/{device}/{estimator_name}`,
    summary: 'One estimator of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  deleteEstimator: {
    ...write,
    ...extension,
    method: 'DELETE',
    path: `${worker}/estimators/{device}/{estimator_name}`,
    summary: 'Delete an estimator of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  listActiveEstimators: {
    ...read,
    ...extension,
    path: `${worker}/active_estimators`,
    summary: 'The active estimators of a worker, by device',
  },
  setActiveEstimator: {
    ...write,
    ...extension,
    method: 'PATCH',
    path: `${worker}/active_estimators/{device}/{estimator_name}`,
    summary: 'Make an estimator of a worker the active one',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  clearActiveEstimator: {
    ...write,
    ...extension,
    method: 'DELETE',
    path: `${worker}/active_estimators/{device}`,
    summary: 'Deactivate the estimator of a device of a worker',
    errors: ['unit_unknown', 'artefact_name_invalid'],
  },
  listCalibrationProtocols: {
    ...read,
    ...extension,
    path: `${worker}/calibration_protocols`,
    summary: 'The calibration protocols of a worker',
  },
  startCalibrationSession: {
    ...proxy,
    method: 'POST',
    path: sessions,
    summary: 'Start a calibration session on a worker',
    description: 'Forwarded to the worker; its answer is the answer.',
    body: StartSession,
    responses: { 201: { description: 'Started', schema: SessionEnvelope } },
    errors: [...proxyErrors, 'invalid_body', 'unsupported_media_type', 'session_refused', 'session_exists'],
  },
  getCalibrationSession: {
    ...proxy,
    method: 'GET',
    permission: 'calibrations.read',
    path: `${sessions}/{session_id}`,
    summary: 'The present step of a calibration session of a worker',
    responses: ok(SessionEnvelope),
    errors: [...proxyErrors, 'session_unknown'],
  },
  advanceCalibrationSession: {
    ...proxy,
    method: 'POST',
    path: `${sessions}/{session_id}/inputs`,
    summary: 'Send the inputs of a step of a calibration session of a worker',
    description: 'The answer comes when pumps, stirrer and light have finished, after up to 300 s.',
    waits: true,
    body: SessionInputs,
    responses: ok(SessionEnvelope),
    errors: [
      ...proxyErrors,
      'invalid_body',
      'unsupported_media_type',
      'session_unknown',
      'session_busy',
      'session_input_invalid',
      'session_action_failed',
      'calibration_unusable',
      'estimator_unusable',
    ],
  },
  abortCalibrationSession: {
    ...proxy,
    method: 'POST',
    path: `${sessions}/{session_id}/abort`,
    summary: 'Abort a calibration session of a worker; its outputs are switched off',
    responses: ok(SessionEnvelope),
    errors: [...proxyErrors, 'session_unknown'],
  },
});
