import { Type } from 'typebox';
import {
  ActiveCalibrations,
  ActiveEstimators,
  Calibration,
  CalibrationProtocol,
  CalibrationsByDevice,
  CreateCalibration,
  CreateEstimator,
  Estimator,
  EstimatorsByDevice,
  RemovedArtefact,
  StoredArtefact,
} from '../resources/calibration.ts';
import { SessionEnvelope, SessionInputs, StartUnitSession } from '../resources/calibration-session.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { acknowledged, ok } from './answers.ts';

const read = {
  method: 'GET',
  tag: 'Calibrations',
  permission: 'calibrations.read',
  cache: 'no-cache',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const write = {
  tag: 'Calibrations',
  permission: 'calibrations.write',
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const extension = { origin: 'extension' } as const;
const nameErrors = ['artefact_name_invalid'] as const;
const archive = {
  200: { description: 'A zip archive', schema: Type.String(), contentType: 'application/zip' },
} as const;

const sessions = '/unit_api/calibrations/sessions';

/** Calibrations, estimators and calibration sessions of a unit. */
export const unitCalibrationRoutes = routes({
  listUnitCalibrations: {
    ...read,
    path: '/unit_api/calibrations',
    summary: 'All calibrations of this unit, by device',
    description: 'Files that cannot be used are left out, and said in the log.',
    responses: ok(CalibrationsByDevice),
    errors: [],
  },
  listUnitDeviceCalibrations: {
    ...read,
    path: '/unit_api/calibrations/{device}',
    summary: 'The calibrations of a device',
    responses: ok(Type.Array(Calibration)),
    errors: [...nameErrors, 'calibration_device_unknown'],
  },
  createUnitCalibration: {
    ...write,
    method: 'POST',
    path: '/unit_api/calibrations/{device}',
    summary: 'Store a calibration',
    description:
      'One of the same name is replaced; where it is active the new content is. A known device takes calibrations of its own kind only.',
    body: CreateCalibration,
    responses: { 201: { description: 'Stored', schema: StoredArtefact } },
    errors: ['invalid_body', 'unsupported_media_type', ...nameErrors, 'calibration_invalid', 'unit_without_board'],
  },
  getUnitCalibration: {
    ...read,
    path: '/unit_api/calibrations/{device}/{cal_name}',
    summary: 'One calibration',
    responses: ok(Calibration),
    errors: [...nameErrors, 'calibration_unknown', 'artefact_unreadable'],
  },
  deleteUnitCalibration: {
    ...write,
    method: 'DELETE',
    path: '/unit_api/calibrations/{device}/{cal_name}',
    summary: 'Delete a calibration; if it is active, none is afterwards',
    responses: ok(RemovedArtefact),
    errors: [...nameErrors, 'calibration_unknown'],
  },
  listUnitActiveCalibrations: {
    ...read,
    path: '/unit_api/active_calibrations',
    summary: 'The active calibration of each device that has one',
    responses: ok(ActiveCalibrations),
    errors: [],
  },
  setUnitActiveCalibration: {
    ...write,
    method: 'PATCH',
    path: '/unit_api/active_calibrations/{device}/{cal_name}',
    summary: 'Make a calibration the active one of its device',
    description: 'Jobs that run keep the one they have begun with.',
    responses: acknowledged,
    errors: [...nameErrors, 'calibration_unknown', 'calibration_invalid'],
  },
  clearUnitActiveCalibration: {
    ...write,
    method: 'DELETE',
    path: '/unit_api/active_calibrations/{device}',
    summary: 'No calibration of the device is active from now on',
    responses: acknowledged,
    errors: nameErrors,
  },
  zipUnitCalibrations: {
    ...read,
    path: '/unit_api/zipped_calibrations',
    summary: 'All calibration files of this unit as a zip archive',
    responses: archive,
    errors: [],
  },
  listUnitEstimators: {
    ...read,
    ...extension,
    path: '/unit_api/estimators',
    summary: 'All estimators of this unit, by device',
    responses: ok(EstimatorsByDevice),
    errors: [],
  },
  listUnitDeviceEstimators: {
    ...read,
    ...extension,
    path: '/unit_api/estimators/{device}',
    summary: 'The estimators of a device',
    responses: ok(Type.Array(Estimator)),
    errors: nameErrors,
  },
  createUnitEstimator: {
    ...write,
    ...extension,
    method: 'POST',
    path: '/unit_api/estimators/{device}',
    summary: 'Store an estimator, for instance one of another unit',
    body: CreateEstimator,
    responses: { 201: { description: 'Stored', schema: StoredArtefact } },
    errors: ['invalid_body', 'unsupported_media_type', ...nameErrors, 'estimator_invalid', 'unit_without_board'],
  },
  getUnitEstimator: {
    ...read,
    ...extension,
    path: '/unit_api/estimators/{device}/{estimator_name}',
    summary: 'One estimator',
    responses: ok(Estimator),
    errors: [...nameErrors, 'estimator_unknown', 'artefact_unreadable'],
  },
  deleteUnitEstimator: {
    ...write,
    ...extension,
    method: 'DELETE',
    path: '/unit_api/estimators/{device}/{estimator_name}',
    summary: 'Delete an estimator; if it is active, none is afterwards',
    responses: ok(RemovedArtefact),
    errors: [...nameErrors, 'estimator_unknown'],
  },
  listUnitActiveEstimators: {
    ...read,
    ...extension,
    path: '/unit_api/active_estimators',
    summary: 'The active estimator of each device that has one',
    responses: ok(ActiveEstimators),
    errors: [],
  },
  setUnitActiveEstimator: {
    ...write,
    ...extension,
    method: 'PATCH',
    path: '/unit_api/active_estimators/{device}/{estimator_name}',
    summary: 'Make an estimator the active one of its device',
    responses: acknowledged,
    errors: [...nameErrors, 'estimator_unknown', 'estimator_invalid'],
  },
  clearUnitActiveEstimator: {
    ...write,
    ...extension,
    method: 'DELETE',
    path: '/unit_api/active_estimators/{device}',
    summary: 'No estimator of the device is active from now on',
    responses: acknowledged,
    errors: nameErrors,
  },
  listUnitCalibrationProtocols: {
    ...read,
    ...extension,
    path: '/unit_api/calibration_protocols',
    summary: 'The guided ways to calibrate that this unit offers',
    responses: ok(Type.Array(CalibrationProtocol)),
    errors: [],
  },
  startUnitCalibrationSession: {
    ...write,
    ...extension,
    method: 'POST',
    path: sessions,
    summary: 'Begin a calibration session',
    description: 'One session of a device is in progress at a time. Sessions that nobody touches for 7 days are gone.',
    body: StartUnitSession,
    responses: { 201: { description: 'Begun', schema: SessionEnvelope } },
    errors: ['invalid_body', 'unsupported_media_type', 'session_refused', 'session_exists', 'unit_without_board'],
  },
  getUnitCalibrationSession: {
    ...read,
    ...extension,
    cache: 'no-store',
    path: `${sessions}/{session_id}`,
    summary: 'Where a calibration session stands, to go on with it',
    responses: ok(SessionEnvelope),
    errors: ['session_unknown'],
  },
  advanceUnitCalibrationSession: {
    ...write,
    ...extension,
    method: 'POST',
    path: `${sessions}/{session_id}/inputs`,
    summary: 'Give a calibration session what its step asks for',
    description:
      'Pumps, stirrer and light may run meanwhile: the answer comes when they have ended, after up to 300 s. What is refused or fails leaves the session where it was. A session that has ended does not change.',
    waits: true,
    body: SessionInputs,
    responses: ok(SessionEnvelope),
    errors: [
      'invalid_body',
      'unsupported_media_type',
      'session_unknown',
      'session_busy',
      'session_input_invalid',
      'session_action_failed',
    ],
  },
  abortUnitCalibrationSession: {
    ...write,
    ...extension,
    method: 'POST',
    path: `${sessions}/{session_id}/abort`,
    summary: 'End a calibration session; what runs is switched off',
    description: 'A session that has ended stays as it is.',
    responses: ok(SessionEnvelope),
    errors: ['session_unknown'],
  },
});
